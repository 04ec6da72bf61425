import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { estimateEmbedTokens } from "../../gpu-worker/task-cost.ts";
import { EmbedResponse, progressType } from "../../shared/embedding.ts";
import { PlanResponse } from "../../shared/planning.ts";
import { RolloutResponse } from "../../shared/rollout.ts";
import { WorkerHealth } from "../../shared/worker-health.ts";
import { WorkerError } from "../../shared/worker-refusals.ts";
import { fakeVector } from "./support/fake-planner.ts";
import { createGate } from "./support/gate.ts";
import { planRequest, startWorker, until } from "./support/worker.ts";

// Threads start slowly on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

let worker: Awaited<ReturnType<typeof startWorker>>;
afterEach(() => worker.close());

async function refusal(response: Response) {
  return { status: response.status, ...WorkerError.parse(await response.json()).error };
}

describe("POST /plan", () => {
  it("answers with the plan of this request, and how long it waited", async () => {
    worker = await startWorker();
    const response = await worker.plan(planRequest("find a book"));
    expect(response.status).toBe(200);
    const plan = PlanResponse.parse(await response.json());
    expect(plan.steps[0]?.actionName).toBe("find a book");
    expect(plan.timings.queueMs).toBeGreaterThanOrEqual(0);
  });

  it("plans in the memory of the account that was signed, whatever the body says", async () => {
    worker = await startWorker();
    const response = await worker.plan({ ...planRequest("whose"), share: "victim" }, { share: "asker" });
    expect(PlanResponse.parse(await response.json()).steps[0]?.actionName).toBe("asker");
  });

  it("gives each of many callers its own answer", async () => {
    worker = await startWorker({ threads: 2 });
    const goals = Array.from({ length: 60 }, (_, index) => `goal ${index}`);
    const answers = await Promise.all(
      goals.map(async (goal) => PlanResponse.parse(await (await worker.plan(planRequest(goal))).json())),
    );
    expect(answers.map((answer) => answer.steps[0]?.actionName)).toEqual(goals);
    expect(await worker.figure('svc_worker_tasks_total{size="base",task="plan"}')).toBe(60);
    expect(await worker.figure("svc_worker_batch_requests_sum")).toBe(60);
  });

  it.each([
    ["no token", { authorization: "" }],
    ["another scheme", { authorization: "Basic abc" }],
    ["a made-up token", { authorization: "Bearer a.b.c" }],
  ])("refuses %s without a word of why, before it has read the body", async (_name, headers) => {
    worker = await startWorker();
    const { port } = new URL(worker.url);
    // The body announced never comes: an answer proves that it was not waited for.
    const answer = await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const outgoing = httpRequest({
        port,
        method: "POST",
        path: "/plan",
        headers: { ...headers, "content-length": "1000" },
      });
      outgoing.on("response", (incoming) => {
        let body = "";
        incoming.on("data", (chunk) => {
          body += chunk;
        });
        incoming.on("end", () => resolve({ status: incoming.statusCode, body }));
      });
      outgoing.on("error", reject);
      outgoing.flushHeaders();
    });
    expect(answer).toEqual({
      status: 401,
      body: '{"error":{"code":"unauthorized","message":"Unauthorized."}}',
    });
    expect(await worker.figure("svc_worker_batch_requests_count")).toBe(0);
  });

  it("refuses a signed body that was changed, a replay, and a token for another path", async () => {
    worker = await startWorker();
    const body = JSON.stringify(planRequest("find"));
    const token = await worker.sign(body);
    expect((await worker.post(body.replace("find", "lose"), { token })).status).toBe(401);
    expect((await worker.post(body, { token })).status).toBe(200);
    expect((await worker.post(body, { token })).status).toBe(401);
    expect((await worker.post(body, { token: await worker.sign(body, "/embed") })).status).toBe(401);
    expect(worker.logLines.map((line) => JSON.parse(line).reason)).toEqual([
      "wrong-body",
      "replayed",
      "wrong-path",
    ]);
    expect(await worker.figure('svc_worker_refused_total{code="unauthorized"}')).toBe(3);
  });

  it("reads one body at a time for a token, so that one that was caught holds no memory but once", async () => {
    worker = await startWorker();
    const body = JSON.stringify(planRequest("find"));
    const token = await worker.sign(body);
    const { port } = new URL(worker.url);
    const slow = connect(Number(port), "127.0.0.1");
    slow.write(
      `POST /plan HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    slow.write(body.slice(0, 9));
    await until(async () => {
      expect((await worker.post(body.slice(0, 9), { token })).status).toBe(401);
      return worker.logLines.some((line) => JSON.parse(line).reason === "replayed");
    });
    slow.write(body.slice(9));
    const [head] = (await once(slow, "data")) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1.1 200/);
    slow.destroy();
  });

  it("names the edge's trace in the line of a refusal, and nothing else that is sent in its place", async () => {
    worker = await startWorker();
    const ask = (traceparent: string) =>
      fetch(`${worker.url}/plan`, { method: "POST", headers: { traceparent } });
    await ask("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    await ask("00-canary");
    expect(worker.logLines.map((line) => JSON.parse(line).traceId)).toEqual([
      "4bf92f3577b34da6a3ce929d0e0e4736",
      undefined,
    ]);
  });

  it("names a request's id in the line of its refusal, and no long text or sentence that is sent in its place", async () => {
    worker = await startWorker();
    for (const id of ["req_1.a:b-2", "canary words", "i".repeat(129)])
      await fetch(`${worker.url}/plan`, { method: "POST", headers: { "x-request-id": id } });
    expect(worker.logLines.map((line) => JSON.parse(line).requestId)).toEqual([
      "req_1.a:b-2",
      undefined,
      undefined,
    ]);
  });

  it("refuses a body over the bound, announced or not", async () => {
    worker = await startWorker({ maxBodyBytes: 1_000 });
    const body = JSON.stringify(planRequest("x".repeat(2_000)));
    expect(await refusal(await worker.post(body))).toMatchObject({ status: 413, code: "request_too_large" });
    const streamed = await fetch(`${worker.url}/plan`, {
      method: "POST",
      headers: { authorization: `Bearer ${await worker.sign(body)}` },
      body: new Blob([body]).stream(),
      duplex: "half",
    } as RequestInit);
    expect(await refusal(streamed)).toMatchObject({ status: 413 });
  });

  it.each([
    ["what is not JSON", "{", 400, "invalid_json", ""],
    ["a body of another shape", '{"size":"base","goal":7}', 400, "invalid_request", "goal, state"],
    [
      "an unknown size",
      JSON.stringify({ ...planRequest("x"), size: "medium" }),
      400,
      "invalid_request",
      "size",
    ],
    [
      "a size that is not loaded",
      JSON.stringify(planRequest("x", { size: "xl" })),
      503,
      "world_model_not_loaded",
      "base",
    ],
  ])("refuses %s and says what is wrong", async (_name, body, status, code, hint) => {
    worker = await startWorker();
    const refused = await refusal(await worker.post(body));
    expect(refused).toMatchObject({ status, code });
    expect(refused.message).toContain(hint);
  });

  it("names eight wrong fields at most, however many there are", async () => {
    worker = await startWorker();
    const refused = await refusal(
      await worker.post(JSON.stringify({ ...planRequest("x"), history: Array(200).fill(7) })),
    );
    expect(refused.message.match(/history\.\d+/g)).toHaveLength(8);
  });

  it("names the loaded sizes in a field too", async () => {
    worker = await startWorker({ sizes: ["base", "large"] });
    const refused = await refusal(await worker.plan(planRequest("x", { size: "xl" })));
    expect(refused.sizes).toEqual(["base", "large"]);
  });

  it("refuses above its queue's bound with Retry-After, and answers those it has taken", async () => {
    worker = await startWorker({ limits: { maxQueuedRequests: 2 } });
    const gate = createGate();
    const running = worker.plan(planRequest(gate.goal));
    await until(async () => (await worker.figure("svc_worker_batch_requests_count")) === 1);
    const waiting = [worker.plan(planRequest("one")), worker.plan(planRequest("two"))];
    await until(async () => (await worker.figure('svc_worker_queue_depth{size="base"}')) === 2);
    const refused = await worker.plan(planRequest("three"));
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refusal(refused)).toMatchObject({ status: 429, code: "account_busy" });
    const other = worker.plan(planRequest("of another account"), { share: "other" });
    await until(async () => (await worker.figure('svc_worker_queue_depth{size="base"}')) === 3);
    gate.open();
    expect((await other).status).toBe(200);
    expect((await Promise.all([running, ...waiting])).map((response) => response.status)).toEqual([
      200, 200, 200,
    ]);
    expect(await worker.figure("svc_worker_batch_requests_count")).toBe(2);
    expect(await worker.figure('svc_worker_refused_total{code="account_busy"}')).toBe(1);
  });

  it("plans for one account while another's embeddings fill every slice", async () => {
    worker = await startWorker({ limits: { maxBatchTokens: 20 } });
    const gate = createGate();
    const running = worker.plan(planRequest(gate.goal));
    await until(async () => (await worker.figure("svc_worker_batch_requests_count")) === 1);
    const texts = Array.from({ length: 100 }, (_, index) => `a text of its own slice ${index}`);
    const long = worker.post(JSON.stringify({ size: "base", texts }), { path: "/embed", share: "heavy" });
    await until(async () => (await worker.figure('svc_worker_queue_depth{size="base"}')) > 1);
    const plan = worker.plan(planRequest("quick"), { share: "light" });
    await until(async () => (await worker.figure('svc_worker_queue_depth{size="base"}')) > 4);
    gate.open();
    expect((await running).status).toBe(200);
    expect((await plan).status).toBe(200);
    // At most one slice was done before it.
    expect(await worker.figure('svc_worker_tasks_total{size="base",task="embed"}')).toBe(0);
    expect((await long).status).toBe(200);
  });

  it("refuses at once the embeddings that would take too long, and takes them again afterwards", async () => {
    worker = await startWorker({ limits: { maxBatchTokens: 2_048 } });
    const gate = createGate();
    const running = worker.plan(planRequest(gate.goal));
    await until(async () => (await worker.figure("svc_worker_batch_requests_count")) === 1);
    const body = () => JSON.stringify({ size: "base", texts: Array(100).fill("x".repeat(5_600)) });
    const taken = worker.post(body(), { path: "/embed", share: "heavy" });
    await until(async () => (await worker.figure('svc_worker_queue_depth{size="base"}')) > 1);
    // Nothing moves on until the gate is open, so a refusal that waited for anything would not come.
    const refused = await worker.post(body(), { path: "/embed", share: "heavy" });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(1);
    expect(await refusal(refused)).toMatchObject({ status: 429, code: "account_busy" });
    gate.open();
    expect((await taken).status).toBe(200);
    expect((await running).status).toBe(200);
    expect((await worker.post(body(), { path: "/embed", share: "heavy" })).status).toBe(200);
  });

  it("refuses unread what comes while its queue is full, and takes the same request when there is room", async () => {
    worker = await startWorker({ limits: { maxQueuedRequests: 1 } });
    const gate = createGate();
    const running = worker.plan(planRequest(gate.goal));
    await until(async () => (await worker.figure("svc_worker_batch_requests_count")) === 1);
    const waiting = worker.plan(planRequest("one"));
    await until(async () => (await worker.figure('svc_worker_queue_depth{size="base"}')) === 1);
    // Had the body been read it would be 400, and its nonce spent.
    expect(await refusal(await worker.post("{"))).toMatchObject({ status: 429, code: "account_busy" });
    const body = JSON.stringify(planRequest("two"));
    const token = await worker.sign(body);
    expect((await worker.post(body, { token })).status).toBe(429);
    gate.open();
    await Promise.all([running, waiting]);
    expect((await worker.post(body, { token })).status).toBe(200);
  });

  it("drops a request whose caller left while it waited", async () => {
    worker = await startWorker();
    const gate = createGate();
    const running = worker.plan(planRequest(gate.goal));
    await until(async () => (await worker.figure("svc_worker_batch_requests_count")) === 1);
    const leaving = new AbortController();
    const left = worker
      .plan(planRequest("nobody waits for this"), { signal: leaving.signal })
      .catch(() => "left");
    await until(async () => (await worker.figure('svc_worker_queue_depth{size="base"}')) === 1);
    leaving.abort();
    expect(await left).toBe("left");
    await until(async () => (await worker.figure('svc_worker_dropped_total{size="base"}')) === 1);
    gate.open();
    expect((await running).status).toBe(200);
    expect(await worker.figure("svc_worker_batch_requests_sum")).toBe(1);
    expect(await worker.figure('svc_worker_requests_total{route="/plan",status="499"}')).toBe(1);
  });

  it("fails only the bad request of a batch, and logs nothing of its text", async () => {
    worker = await startWorker();
    const gate = createGate();
    const running = worker.plan(planRequest(gate.goal));
    await until(async () => (await worker.figure("svc_worker_batch_requests_count")) === 1);
    const [bad, good] = [worker.plan(planRequest("throw")), worker.plan(planRequest("good"))];
    await until(async () => (await worker.figure('svc_worker_queue_depth{size="base"}')) === 2);
    gate.open();
    expect(await refusal(await bad)).toMatchObject({ status: 500, code: "internal_error" });
    expect((await good).status).toBe(200);
    expect((await running).status).toBe(200);
    expect(worker.logLines.join("")).not.toContain("canary");
  });

  it("answers 503 when its thread dies, and plans again on the next one", async () => {
    worker = await startWorker();
    const crashed = await worker.plan(planRequest("crash"));
    expect(crashed.headers.get("retry-after")).toBe("1");
    expect(await refusal(crashed)).toMatchObject({ status: 503, code: "world_model_unavailable" });
    expect((await worker.plan(planRequest("after"))).status).toBe(200);
    expect(await worker.figure('svc_worker_thread_restarts_total{size="base"}')).toBe(1);
  });

  it("answers 503, /health too, while no thread of its can load again", async () => {
    worker = await startWorker({ patienceMs: 200 });
    process.env.FAKE_BROKEN = "1";
    try {
      await worker.plan(planRequest("crash"));
      const url = `${worker.url}/health`;
      await until(async () => (await fetch(url)).status === 503);
      expect(await refusal(await worker.plan(planRequest("in vain")))).toMatchObject({
        status: 503,
        code: "world_model_unavailable",
      });
    } finally {
      delete process.env.FAKE_BROKEN;
    }
    const { url } = worker;
    await until(async () => (await fetch(`${url}/health`)).status === 200);
    expect((await worker.plan(planRequest("after"))).status).toBe(200);
  });

  it("refuses while it drains, so that the edge goes elsewhere", async () => {
    worker = await startWorker();
    worker.drain();
    const refused = await worker.plan(planRequest("late"));
    expect(refused.headers.get("connection")).toBe("close");
    expect(await refusal(refused)).toMatchObject({ status: 503, code: "draining" });
    expect((await fetch(`${worker.url}/health`)).status).toBe(503);
  });
});

describe("POST /rollout and POST /embed", () => {
  const rollout = { size: "base", goal: "a goal", maxSteps: 3 } as const;
  const embed = (...texts: string[]) => ({ size: "base", texts });
  const send = (path: string, body: unknown) => worker.post(JSON.stringify(body), { path });

  it("give tasks of all kinds in one queue each their own answer", async () => {
    worker = await startWorker();
    const gate = createGate();
    const running = worker.plan(planRequest(gate.goal));
    await until(async () => (await worker.figure("svc_worker_batch_requests_count")) === 1);
    const sent = Array.from({ length: 9 }, (_, index) =>
      [
        worker.plan(planRequest(`goal ${index}`)),
        send("/rollout", { ...rollout, goal: `goal ${index}` }),
        send("/embed", embed(`text ${index}`)),
      ].map(async (answer) => (await answer).json()),
    ).flat();
    await until(async () => (await worker.figure('svc_worker_queue_depth{size="base"}')) === 27);
    gate.open();
    const answers = await Promise.all(sent);
    expect((await running).status).toBe(200);
    for (let index = 0; index < 9; index++) {
      const [plan, predicted, embedded] = answers.slice(index * 3, index * 3 + 3);
      expect(PlanResponse.parse(plan).steps[0]?.actionName).toBe(`goal ${index}`);
      expect(RolloutResponse.parse(predicted).initialState).toBe(`goal ${index}`);
      expect(EmbedResponse.parse(embedded).vectors).toEqual([fakeVector(`text ${index}`)]);
    }
    // The one that held the thread, all of chat, all of embeddings.
    expect(await worker.figure("svc_worker_batch_requests_count")).toBe(3);
    expect(await worker.figure('svc_worker_tasks_total{size="base",task="embed"}')).toBe(9);
  });

  it("answer a request of many parts in its own order", async () => {
    worker = await startWorker({ threads: 2, limits: { maxBatchTokens: 20 } });
    const texts = Array.from({ length: 100 }, (_, index) => `text ${index}${".".repeat((index * 7) % 20)}`);
    const answer = EmbedResponse.parse(await (await send("/embed", embed(...texts))).json());
    expect(answer.vectors).toEqual(texts.map(fakeVector));
    expect(await worker.figure("svc_worker_batch_requests_count")).toBeGreaterThan(20);
  });

  it("tell a caller who asks for it what was read after each part, and give the answer last", async () => {
    const texts = ["a first text of forty letters is this one", "the second", "a third text of some length"];
    // The two shorter ones fill a part, so the longest has one of its own.
    const maxBatchTokens = texts.slice(1).reduce((sum, text) => sum + estimateEmbedTokens(text), 0);
    worker = await startWorker({ limits: { maxBatchTokens } });
    const ask = (accept?: string) =>
      worker.post(JSON.stringify(embed(...texts)), { path: "/embed", ...(accept && { accept }) });
    const response = await ask(progressType);
    expect(response.headers.get("content-type")).toBe(progressType);
    const lines = (await response.text()).split("\n").map((line) => JSON.parse(line));
    expect(lines.slice(0, -1)).toEqual([{ done: 41 }, { done: 78 }]);
    const plain = await ask();
    expect(plain.headers.get("content-type")).toBe("application/json");
    const { timings: _, ...answer } = EmbedResponse.parse(await plain.json());
    expect(EmbedResponse.parse(lines.at(-1))).toMatchObject(answer);
    // One part needs no word in between.
    const short = await worker.post(JSON.stringify(embed("a")), { path: "/embed", accept: progressType });
    expect(short.headers.get("content-type")).toBe("application/json");
  });

  it.each([
    ["one batch", 16_384],
    ["many parts", 4],
  ])("refuse a text past the limit with 413 and its index, in %s", async (_name, maxBatchTokens) => {
    worker = await startWorker({ limits: { maxBatchTokens } });
    const refused = await refusal(await send("/embed", embed("a", "bb", "long", "c", "dd")));
    expect(refused).toMatchObject({ status: 413, code: "text_too_long", index: 2 });
    const first = await refusal(await send("/embed", embed("long", "bb", "c")));
    expect(first).toMatchObject({ status: 413, code: "text_too_long", index: 0 });
    expect((await send("/embed", embed("a"))).status).toBe(200);
  });

  it.each([
    ["no text", "/embed", embed(), "texts"],
    ["an empty text", "/embed", embed(""), "texts.0"],
    ["more than a hundred texts", "/embed", embed(...Array.from({ length: 101 }, () => "x")), "texts"],
    ["eleven steps", "/rollout", { ...rollout, maxSteps: 11 }, "maxSteps"],
    ["an action past the last one", "/rollout", { ...rollout, actions: [903] }, "actions.0"],
  ])("refuse %s", async (_name, path, body, hint) => {
    worker = await startWorker();
    const refused = await refusal(await send(path, body));
    expect(refused).toMatchObject({ status: 400, code: "invalid_request" });
    expect(refused.message).toContain(hint);
  });
});

describe("the other routes", () => {
  it("GET /health says what is loaded and where it runs", async () => {
    worker = await startWorker({ sizes: ["base", "xl"] });
    const health = WorkerHealth.parse(await (await fetch(`${worker.url}/health`)).json());
    expect(health).toMatchObject({ sizes: ["base", "xl"], dimensions: { base: 8, xl: 8 }, device: "cpu" });
    expect(health.brain).toMatchObject({
      loaded: true,
      num_actions: 903,
      tool_matching: "sentence-transformers",
    });
    expect(health.brain.random_baseline_nats).toBeCloseTo(6.8057, 3);
  });

  it.each([
    ["GET", "/plan", 405],
    ["POST", "/health", 405],
    ["GET", "/", 404],
    ["GET", "/__proto__", 404],
    ["GET", "/constructor", 404],
    ["GET", "/health/", 404],
  ])("%s %s is %d", async (method, path, status) => {
    worker = await startWorker();
    const response = await fetch(worker.url + path, { method });
    expect(response.status).toBe(status);
    if (status === 405) expect(response.headers.get("allow")).toBe(path === "/plan" ? "POST" : "GET");
  });

  it("counts all unknown paths as one, and logs none of them, since anybody may send any number", async () => {
    worker = await startWorker();
    for (const path of ["/canary-1", "/canary-2?x=canary-3"]) await fetch(worker.url + path);
    const page = await (await fetch(`${worker.url}/metrics`)).text();
    expect(page).toContain('svc_worker_requests_total{route="other",status="404"} 2\n');
    expect(page + worker.logLines.join("")).not.toContain("canary");
  });

  it("finds a path with a query, and counts it as the path", async () => {
    worker = await startWorker();
    expect((await fetch(`${worker.url}/health?probe=1`)).status).toBe(200);
    expect(await worker.figure('svc_worker_requests_total{route="/health",status="200"}')).toBe(1);
  });

  it("outlives callers that send what is not HTTP", async () => {
    worker = await startWorker();
    const socket = connect(Number(new URL(worker.url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write("\u0000\u0001 nonsense\r\n\r\n");
    await new Promise((resolve) => socket.on("close", resolve).resume());
    expect((await fetch(`${worker.url}/health`)).status).toBe(200);
  });
});
