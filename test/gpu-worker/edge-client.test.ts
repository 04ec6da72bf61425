import { afterEach, describe, expect, it, vi } from "vitest";
import type { Fetch } from "../../edge/gpu-workers/call-worker.ts";
import { createGpuWorkers } from "../../edge/gpu-workers/gpu-workers.ts";
import type { SigningJwk } from "../../shared/signature.ts";
import { fakeVector } from "./support/fake-planner.ts";
import { createGate } from "./support/gate.ts";
import { planRequest, startWorker, until } from "./support/worker.ts";

// Threads start slowly on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

type Worker = Awaited<ReturnType<typeof startWorker>>;
let workers: Worker[] = [];
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  workers = [];
});

async function start(options: Parameters<typeof startWorker>[0] = {}): Promise<Worker> {
  const worker = await startWorker({ ...options, ...(workers[0] && { keys: workers[0].keys }) });
  workers.push(worker);
  return worker;
}

/** The fake planner answers with the goal: a name that the edge takes where it is one of the request's tools. */
const toolRequest = (goal: string) => planRequest(goal, { tools: [{ name: goal, description: "" }] });

function edge(signingKey: SigningJwk, urls: string[], send: Fetch = (url, init) => fetch(url, init)) {
  const fleet = createGpuWorkers({ urls, signingKey, fetch: send, random: Math.random, now: Date.now });
  const plan = (goal: string, signal = new AbortController().signal) =>
    fleet.run("plan", toolRequest(goal), { signal, requestId: "r-1", accountId: "acct_1" });
  return { fleet, plan };
}

describe("the edge and real workers", () => {
  it("plan together, each caller getting its own answer, on every worker", async () => {
    const [one, two] = [await start(), await start()];
    const { fleet, plan } = edge(one.keys.privateJwk, [one.url, two.url]);
    const goals = Array.from({ length: 40 }, (_, index) => `goal ${index}`);
    const plans = await Promise.all(goals.map((goal) => plan(goal)));
    expect(plans.map(({ steps }) => steps[0]?.actionName)).toEqual(goals);
    const counts = await Promise.all(
      [one, two].map((worker) => worker.figure("svc_worker_batch_requests_sum")),
    );
    expect(counts[0]! + counts[1]!).toBe(40);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect((await fleet.health()).sizes).toEqual(["base"]);
  });

  it("lose no request when one worker is gone, and none when it comes to its queue's bound", async () => {
    const gone = await start();
    const small = await start({ limits: { maxQueuedRequests: 1 } });
    const roomy = await start();
    const { plan } = edge(gone.keys.privateJwk, [gone.url, roomy.url]);
    await gone.close();
    workers = workers.filter((worker) => worker !== gone);
    expect(await Promise.all(Array.from({ length: 10 }, (_, index) => plan(`${index}`)))).toHaveLength(10);
    const second = edge(gone.keys.privateJwk, [small.url, roomy.url]);
    expect(await Promise.all(Array.from({ length: 10 }, () => second.plan("busy")))).toHaveLength(10);
  });

  it("name the loaded sizes when another is asked for", async () => {
    const worker = await start({ sizes: ["base", "large"] });
    const { fleet } = edge(worker.keys.privateJwk, [worker.url]);
    const work = fleet.run("plan", planRequest("x", { size: "huge" }), {
      signal: new AbortController().signal,
      requestId: "r-1",
      accountId: "acct_1",
    });
    await expect(work).rejects.toMatchObject({
      code: "world_model_not_loaded",
      message: expect.stringMatching(/base, large/),
    });
  });

  it("let go of a queued request when the caller leaves", async () => {
    const worker = await start();
    const { plan } = edge(worker.keys.privateJwk, [worker.url]);
    const gate = createGate();
    const running = plan(gate.goal);
    await until(async () => (await worker.figure("svc_worker_batch_requests_count")) === 1);
    const caller = new AbortController();
    const left = plan("queued", caller.signal);
    await until(async () => (await worker.figure('svc_worker_queue_depth{size="base"}')) === 1);
    caller.abort(new Error("client left"));
    await expect(left).rejects.toThrow("client left");
    await until(async () => (await worker.figure('svc_worker_dropped_total{size="base"}')) === 1);
    gate.open();
    await running;
    expect(await worker.figure("svc_worker_batch_requests_sum")).toBe(1);
  });

  it("learn how much of a long task was done for a caller who leaves, and stop the rest", async () => {
    const worker = await start({ limits: { maxBatchTokens: 4 } });
    const { fleet } = edge(worker.keys.privateJwk, [worker.url]);
    const gate = createGate();
    const caller = new AbortController();
    const done: number[] = [];
    const texts = ["x".repeat(200), "y", gate.goal, "zz"];
    const left = fleet.run(
      "embed",
      { size: "base", texts },
      { signal: caller.signal, requestId: "r", accountId: "a", onProgress: (tokens) => done.push(tokens) },
    );
    await until(() => done.length === 1);
    caller.abort(new Error("client left"));
    await expect(left).rejects.toThrow("client left");
    await until(async () => (await worker.figure('svc_worker_dropped_total{size="base"}')) === 2);
    gate.open();
    expect(done).toEqual([200]);
    // Who stays has the answer, and a refusal in mid-work is told as one.
    const context = { signal: new AbortController().signal, requestId: "r", accountId: "a" };
    const onProgress = (tokens: number) => done.push(tokens);
    const kept = await fleet.run("embed", { size: "base", texts }, { ...context, onProgress });
    expect(kept.vectors).toEqual(texts.map(fakeVector));
    const tooLong = ["x".repeat(200), "long"];
    await expect(
      fleet.run("embed", { size: "base", texts: tooLong }, { ...context, onProgress }),
    ).rejects.toMatchObject({ code: "request_too_large", details: { param: "input.1" } });
  });

  it("hold a request to the worker it was signed for, where the worker knows its own URL", async () => {
    const own = "https://its-own.example";
    const worker = await start({ audience: own });
    const elsewhere = edge(worker.keys.privateJwk, [worker.url]);
    await expect(elsewhere.plan("x")).rejects.toMatchObject({
      code: "world_model_unavailable",
      reason: "status-401",
    });
    expect(worker.logLines.join("")).toContain("wrong-audience");
    const dialled = edge(worker.keys.privateJwk, [own], (url, init) =>
      fetch(url.replace(own, worker.url), init),
    );
    expect((await dialled.plan("y")).steps[0]?.actionName).toBe("y");
  });
});
