import { describe, expect, it } from "vitest";
import {
  type AdmittedRequest,
  bulkPatienceMs,
  createAdmission,
  fairBacklog,
} from "../../gpu-worker/admission.ts";
import type { QueueLimits } from "../../gpu-worker/config.ts";
import { maxRetryAfterSeconds } from "../../shared/worker-refusals.ts";

const limits: QueueLimits = {
  maxQueuedRequests: 5,
  maxQueuedTokens: 600,
  maxBatchRequests: 3,
  maxBatchTokens: 100,
};
const openAdmission = () => createAdmission(limits, 2);

describe("the work before a request", () => {
  it.each([
    ["nobody else's", 10, [], 10],
    ["all of who has less", 10, [3, 4], 17],
    ["no more than its own of who has more", 10, [1_000, 2_000], 30],
  ])("is %s", (_name, mine, others, expected) => {
    expect(fairBacklog(mine, others)).toBe(expected);
  });
});

describe("admission to the queue", () => {
  it.each([
    ["an empty queue takes anything", [], 10_000, true],
    ["the last place", [50, 50, 50, 50], 50, true],
    ["too many requests", [50, 50, 50, 50, 50], 50, false],
    ["too many tokens", [550], 51, false],
    ["exactly the tokens", [550], 50, true],
  ])("%s, for one account", (_name, waiting, next, expected) => {
    const admission = openAdmission();
    for (const tokens of waiting) admission.admit("chat", "a", tokens);
    const admit = () => admission.admit("chat", "a", next);
    if (expected) admit();
    else expect(admit).toThrow(expect.objectContaining({ code: "account_busy" }));
  });

  it("lets another account in when one has filled the queue", () => {
    const admission = openAdmission();
    for (let count = 0; count < 5; count++) admission.admit("chat", "heavy", 120);
    expect(() => admission.checkOpen("chat", "heavy")).toThrow(
      expect.objectContaining({ code: "account_busy" }),
    );
    admission.checkOpen("chat", "light");
    admission.admit("chat", "light", 100);
  });

  it("says that all is full to one that has little waiting itself", () => {
    const admission = openAdmission();
    for (let account = 0; account < 5; account++) admission.admit("chat", `account ${account}`, 120);
    expect(() => admission.checkOpen("chat", "another")).toThrow(
      expect.objectContaining({ code: "overloaded" }),
    );
  });

  it("never asks to come back later than the edge passes on, however much waits", () => {
    const admission = openAdmission();
    admission.admit("chat", "a", 1e9);
    expect(() => admission.checkOpen("chat", "a")).toThrow(
      expect.objectContaining({ details: { retryAfterSeconds: maxRetryAfterSeconds } }),
    );
  });

  it("still has a bound on bulk after a batch that took no time by the clock", () => {
    const admission = openAdmission();
    admission.learnPace(100, 0);
    admission.admit("bulk", "a", bulkPatienceMs * 1_000);
    expect(() => admission.checkOpen("bulk", "a")).toThrow(expect.objectContaining({ code: "account_busy" }));
  });

  it("counts again what has begun and came back, until it leaves", () => {
    const admission = openAdmission();
    const plan = admission.admit("chat", "a", 600);
    plan.begin(600);
    admission.checkOpen("chat", "a");
    plan.waitAgain(600);
    expect(() => admission.checkOpen("chat", "a")).toThrow(expect.objectContaining({ code: "account_busy" }));
    plan.leave();
    admission.admit("chat", "a", 600).leave();
    for (let count = 0; count < limits.maxQueuedRequests; count++) admission.admit("chat", "a", 1);
  });

  it("counts a request once, of which more waits while some waits already", () => {
    const admission = openAdmission();
    const plan = admission.admit("chat", "a", 10);
    for (let piece = 0; piece < 20; piece++) plan.waitAgain(1);
    for (let count = 1; count < limits.maxQueuedRequests; count++) admission.admit("chat", "a", 1);
    expect(() => admission.admit("chat", "a", 1)).toThrow(expect.objectContaining({ code: "account_busy" }));
  });

  it.each([
    ["begins", (one: AdmittedRequest) => one.begin(0)],
    ["leaves", (one: AdmittedRequest) => one.leave()],
  ])("forgets a request without an estimated token that waits, also again, when it %s", (_what, end) => {
    const admission = openAdmission();
    for (let count = 0; count < 3 * limits.maxQueuedRequests; count++) {
      const one = admission.admit("chat", "a", count % 2);
      one.begin(count % 2);
      one.waitAgain(0);
      end(one);
      one.leave();
    }
    // Nothing waits, so any request is admitted.
    admission.admit("chat", "a", 1_000_000).leave();
  });

  it("has room again for what has begun, in parts or by leaving", () => {
    const admission = openAdmission();
    const whole = admission.admit("chat", "a", 600);
    whole.begin(300);
    admission.admit("chat", "a", 300).leave();
    whole.leave();
    whole.leave();
    admission.admit("chat", "a", 10_000);
  });

  it("keeps chat and bulk apart", () => {
    const admission = openAdmission();
    admission.admit("bulk", "a", 1_000_000);
    admission.admit("chat", "a", 600);
  });

  it("takes bulk work for as long as it can be done in time, by the pace it has measured", () => {
    const admission = openAdmission();
    for (let batch = 0; batch < 100; batch++) admission.learnPace(1_000, 100);
    const tokensInTime = bulkPatienceMs * 10 * 2;
    admission.admit("bulk", "a", tokensInTime / 2);
    admission.admit("bulk", "a", tokensInTime / 4);
    // 75 % of the time is spoken for: half as much again would be 10 s too much.
    const refused = expect.objectContaining({ code: "account_busy", retryAfterSeconds: 8 });
    expect(() => admission.admit("bulk", "a", tokensInTime / 2)).toThrow(refused);
    admission.admit("bulk", "b", tokensInTime / 4);
  });

  it("does not blame an account for its own work where none of it waits, however large its request is", () => {
    const admission = openAdmission();
    admission.admit("chat", "other", 50);
    expect(() => admission.admit("chat", "a", 10_000)).toThrow(
      expect.objectContaining({ code: "overloaded" }),
    );
  });

  it("takes no more off an account's work than the request that begins had in it", () => {
    const admission = openAdmission();
    const first = admission.admit("chat", "a", 10);
    admission.admit("chat", "a", 590);
    first.begin(10_000);
    expect(() => admission.admit("chat", "a", 11)).toThrow(expect.objectContaining({ code: "account_busy" }));
    admission.admit("chat", "a", 10);
  });
});
