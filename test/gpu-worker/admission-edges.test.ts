// Who is told to wait for whose work, and what stays counted when a request begins with more than it was admitted for.
import { describe, expect, it } from "vitest";
import { createAdmission } from "../../gpu-worker/admission.ts";
import { createFairQueue } from "../../gpu-worker/batcher.ts";
import type { QueueLimits } from "../../gpu-worker/config.ts";

const limits: QueueLimits = {
  maxQueuedRequests: 5,
  maxQueuedTokens: 600,
  maxBatchRequests: 3,
  maxBatchTokens: 100,
};
const refusal = (code: string) => expect.objectContaining({ code });

describe("admission to the queue", () => {
  it("does not blame an account for its own work where none of it waits, however large its request is", () => {
    const admission = createAdmission(limits, 2);
    admission.admit("chat", "other", 50);
    expect(() => admission.admit("chat", "a", 10_000)).toThrow(refusal("overloaded"));
  });

  it("takes no more off an account's work than the request that begins had in it", () => {
    const admission = createAdmission(limits, 2);
    const first = admission.admit("chat", "a", 10);
    admission.admit("chat", "a", 590);
    first.begin(10_000);
    expect(() => admission.admit("chat", "a", 11)).toThrow(refusal("account_busy"));
    admission.admit("chat", "a", 10);
  });
});

describe("the fair queue", () => {
  it("puts what an account asks for later behind what it has asked for, also after a piece that went before that", () => {
    const queue = createFairQueue<string>();
    for (const item of ["a1", "a2", "a3", "a4"]) queue.push(item, "a", 10, 10);
    const [first] = queue.take(() => 1);
    queue.push("a1, second piece", "a", 10, 10, first!.start);
    queue.push("a5", "a", 10, 10);
    for (const item of ["b1", "b2", "b3", "b4"]) queue.push(item, "b", 10, 10);
    const order = queue.take((tokens) => tokens.length).map(({ item }) => item);
    expect(order.indexOf("a5")).toBeGreaterThan(order.indexOf("b4"));
  });
});
