import { describe, expect, test } from "vitest";
import { writeServerTiming } from "../../../edge/middleware/record-request.ts";
import { RequestRecord } from "../../../edge/telemetry/request-record.ts";
import { GatewayError } from "../../../shared/errors.ts";
import { createTestApp, newCaller, openaiStream, openaiUsage, type TestAppOptions } from "../support/app.ts";

const model = "svc-x1ac-base-gpt-4o";
const hello = { model, messages: [{ role: "user", content: "find me a flight to Oslo" }], max_tokens: 50 };

/** A clock that a test moves. */
function createClock() {
  let at = 1_000;
  const pass = (ms: number) => {
    at += ms;
  };
  return { now: () => at, pass };
}

async function ask(body: object, options: TestAppOptions = {}, key?: string) {
  const app = createTestApp(options);
  const caller = await newCaller(1_000_000);
  const response = await app.chat(key ?? caller.apiKey, body);
  const text = await response.text();
  await response.settled();
  const header = response.headers.get("server-timing");
  return { app, response, text, header, stages: header?.split(", ").map((entry) => entry.split(";")[0]) };
}

describe("the header", () => {
  test("has one entry for each stage that has ended, in order, in milliseconds", async () => {
    const clock = createClock();
    const requestRecord = new RequestRecord(clock);
    await requestRecord.time("auth", async () => clock.pass(2));
    const plan = requestRecord.begin("plan");
    await requestRecord.time("hold", async () => clock.pass(5));
    plan.end();
    const call = requestRecord.begin("provider");
    clock.pass(30);
    call.first();
    clock.pass(200);
    expect(writeServerTiming(requestRecord)).toBe(
      "auth;dur=2, plan;dur=5, hold;dur=5, provider;dur=30, total;dur=237",
    );
  });

  test("sums the plans of a loop, takes the first word of several calls, and stays short", async () => {
    const clock = createClock();
    const requestRecord = new RequestRecord(clock);
    for (let turn = 0; turn < 500; turn++) {
      await requestRecord.time("plan", async () => clock.pass(1));
      const call = requestRecord.begin("provider");
      clock.pass(2);
      call.first();
      call.end();
    }
    expect(writeServerTiming(requestRecord)).toBe("plan;dur=32, provider;dur=2, total;dur=1500");
  });

  test("leaves out a call without a first word", () => {
    const requestRecord = new RequestRecord({ now: () => 1 });
    requestRecord.begin("provider").end("503");
    expect(writeServerTiming(requestRecord)).toBe("total;dur=0");
  });
});

describe("an answer", () => {
  test("in JSON says every stage, the settlement too", async () => {
    const { response, stages } = await ask(hello);
    expect(response.status).toBe(200);
    expect(stages).toEqual(["auth", "plan", "hold", "provider", "settle", "total"]);
    expect(response.headers.get("access-control-expose-headers")).toContain("server-timing");
  });

  test("as a stream says what was known before its first word", async () => {
    const { header } = await ask({ ...hello, stream: true });
    expect(header).toMatch(/^auth;dur=\d+, plan;dur=\d+, hold;dur=\d+, provider;dur=\d+, /);
  });

  test("of a provider that refuses says how long it took to get there", async () => {
    const refusal = () => new Response("{}", { status: 400 });
    const { response, stages } = await ask(hello, { provider: [refusal] });
    expect(response.status).toBe(400);
    expect(stages).toEqual(["auth", "plan", "hold", "settle", "total"]);
  });

  test("to nobody we know says nothing", async () => {
    const { response, header } = await ask(hello, {}, "svc_sk_live_wrong");
    expect([response.status, header]).toEqual([401, null]);
  });

  test("never quotes: names of stages and numbers are all there is", async () => {
    const provider = [() => openaiStream(["canary-answer"], openaiUsage(5, 1))];
    const { header } = await ask({ ...hello, user: "canary-prompt" }, { provider });
    expect(header).toMatch(/^([a-z]+;dur=\d+(, )?)+$/);
  });

  test("of the world model alone names its task", async () => {
    const app = createTestApp({
      embed: async () => ({ vectors: [[1, 0]], tokens: 3, timings: { queueMs: 0, modelMs: 1 } }) as never,
    });
    const caller = await newCaller(1_000_000);
    const response = await app.post("/v1/embeddings", caller.apiKey, { model: "svc-x1ac-base", input: "x" });
    expect(response.headers.get("server-timing")).toMatch(/^auth;dur=\d+, embed;dur=\d+, hold;dur=\d+, /);
  });
});

describe("the log", () => {
  /** The line of a request whose caller leaves while `step` runs. */
  async function leaveIn(step: "plan" | "provider") {
    const leaving = new AbortController();
    const leave = async (): Promise<never> => {
      leaving.abort();
      throw leaving.signal.reason;
    };
    const app = createTestApp(step === "plan" ? { plan: leave } : { provider: [leave] });
    const caller = await newCaller(1_000_000);
    const response = await app.chat(caller.apiKey, hello, {}, leaving.signal);
    await response.settled();
    return app.logs;
  }

  test("says of a failure of ours what it was, although the caller has left", async () => {
    const leaving = new AbortController();
    const plan = async () => {
      leaving.abort();
      throw new GatewayError("world_model_unavailable", "No worker.", {}, "no-worker");
    };
    const app = createTestApp({ plan });
    const caller = await newCaller(1_000_000);
    await (await app.chat(caller.apiKey, hello, {}, leaving.signal)).settled();
    expect(app.logs).toMatchObject([{ status: 499, code: "world_model_unavailable", reason: "no-worker" }]);
  });

  test.each(["plan", "provider"] as const)(
    "says 499 of a caller who left before the head, during the %s, and no failure of ours",
    async (step) => {
      const [line, ...more] = await leaveIn(step);
      expect(more).toEqual([]);
      expect(line).toMatchObject({ level: "info", status: 499, account_id: expect.any(String) });
      for (const field of ["code", "reason", "error_class"]) expect(line).not.toHaveProperty(field);
    },
  );

  const slips = [
    ["DELETE", "/v1/account/api-keys/"],
    ["PATCH", "/v1/account/api-keys/"],
    ["GET", "/v1/models/"],
    ["GET", "/v1/models/svc-x1ac-base-"],
    ["POST", "/v1/account/session/identities/"],
    ["PATCH", "/v1/operator/accounts/"],
    ["GET", "/console/"],
  ] as const;
  const secrets = ["svc_sk_live_", "svc_tk_", "svc_ss_", "svc_ln_", "sk-ant-api03-", "AIzaSy", "AQ.Ab8"].map(
    (start) => `${start}${"k3Y".repeat(16)}`,
  );

  test.each(slips)("tells no key that was sent in place of an id: %s %s", async (method, path) => {
    for (const secret of secrets) {
      const app = createTestApp();
      const { apiKey } = await newCaller(1);
      const headers = { authorization: `Bearer ${apiKey}`, "x-request-id": secret };
      await (await app.send(path + secret, { method, headers })).settled();
      expect(app.logs).toMatchObject([{ event: "request", path: expect.stringContaining("[key]") }]);
      expect(JSON.stringify(app.logs)).not.toContain("k3Y");
    }
  });
});
