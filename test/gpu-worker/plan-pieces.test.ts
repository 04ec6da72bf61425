import { afterEach, describe, expect, it, vi } from "vitest";
import { planInPieces } from "../../gpu-worker/plan-pieces.ts";
import type { PlanTask } from "../../gpu-worker/planning/read-ahead.ts";
import { estimateTokens } from "../../gpu-worker/task-cost.ts";
import { progressType } from "../../shared/embedding.ts";
import { PlanResponse } from "../../shared/planning.ts";
import { fakePlan } from "./support/fake-planner.ts";
import { createGate } from "./support/gate.ts";
import { planRequest, startWorker, until } from "./support/worker.ts";

// Threads start slowly on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

let worker: Awaited<ReturnType<typeof startWorker>> | undefined;
afterEach(async () => {
  await worker?.close();
  worker = undefined;
});

const unseen = (...said: string[]) => ({
  tools: said.map((one, at) => ({ name: `tool_${at}`, description: `unseen ${one}` })),
});
const batches = "svc_worker_batch_requests_count";

it("a plan in pieces waits again for what is left to read of it, behind the piece before, and adds up their times", async () => {
  const request = planRequest("heavy", unseen("one", "two", "three"));
  const read = (count: number) =>
    Array.from({ length: count }, () => ({ vector: new Float32Array(1), tokens: 4 }));
  const left = (count: number) =>
    estimateTokens({ name: "plan", request: { ...request, readTexts: read(count) } as PlanTask });
  const asked: [number, number | undefined][] = [];
  const waited: number[] = [];
  const answer = await planInPieces(
    request,
    async ({ readTexts = [] }, after) => {
      asked.push([readTexts.length, after]);
      const timings = { queueMs: 1, modelMs: 10 };
      const start = 100 + readTexts.length;
      if (readTexts.length === 2) return { answer: { ...fakePlan(request), timings }, start };
      return { answer: { readTexts: read(readTexts.length + 1), tokens: 4, timings }, start };
    },
    { waitAgain: (tokens) => void waited.push(tokens) },
  );
  expect(asked).toEqual([
    [0, undefined],
    [1, 100],
    [2, 101],
  ]);
  expect(waited).toEqual([left(1), left(2)]);
  expect(left(1)).toBeGreaterThan(left(2));
  expect(answer.timings).toEqual({ queueMs: 3, modelMs: 30 });
});

describe("a plan over many unseen tools", () => {
  it("lets another account's plan pass between its pieces", async () => {
    const started = await startWorker();
    worker = started;
    const [first, second] = [createGate(), createGate()];
    const heavy = started.plan(planRequest("heavy", unseen(first.goal, "more", second.goal)), {
      share: "heavy",
    });
    await until(async () => (await started.figure(batches)) === 1);
    const light = started.plan(planRequest("light"), { share: "light" });
    await until(async () => (await started.figure('svc_worker_queue_depth{size="base"}')) === 1);
    first.open();
    expect((await light).status).toBe(200);
    second.open();
    const answer = PlanResponse.parse(await (await heavy).json());
    expect(answer.steps[0]!.actionName).toBe("heavy");
    // Three pieces of 10 ms, then the plan's own.
    expect(answer.timings.modelMs).toBe(31);
    expect(await started.figure('svc_worker_tasks_total{size="base",task="plan"}')).toBe(2);
  });

  it("says after each piece what it has read, as its caller pays for that", async () => {
    const started = await startWorker();
    worker = started;
    const body = JSON.stringify(planRequest("heavy", unseen("one", "two", "three")));
    const response = await started.post(body, { path: "/plan", accept: progressType });
    const lines = (await response.text()).split("\n").map((line) => JSON.parse(line));
    expect(lines.slice(0, -1)).toEqual([{ done: 1 }, { done: 2 }, { done: 3 }]);
    expect(PlanResponse.parse(lines.at(-1)).steps[0]!.actionName).toBe("heavy");
  });

  it("is not gone on with when its caller has left", async () => {
    const started = await startWorker();
    worker = started;
    const [first, never] = [createGate(), createGate()];
    const leaving = new AbortController();
    const connection = new Promise((resolve) =>
      started.server.on("request", ({ url }, response) => {
        if (url === "/plan") response.once("close", resolve);
      }),
    );
    const heavy = started.plan(planRequest("heavy", unseen(first.goal, never.goal)), {
      signal: leaving.signal,
    });
    await until(async () => (await started.figure(batches)) === 1);
    leaving.abort();
    await expect(heavy).rejects.toThrow();
    await connection;
    first.open();
    expect((await started.plan(planRequest("after"))).status).toBe(200);
    expect(await started.figure(batches)).toBe(2);
  });

  it("counts as waiting between its pieces, so that its account cannot queue without bound", async () => {
    const started = await startWorker({ limits: { maxQueuedRequests: 1 } });
    worker = started;
    const [first, second, third] = [createGate(), createGate(), createGate()];
    const light = () => started.plan(planRequest("light"), { share: "heavy" });
    const heavy = started.plan(planRequest("heavy", unseen(first.goal, second.goal)), { share: "heavy" });
    await until(async () => (await started.figure(batches)) === 1);
    const other = started.plan(planRequest(third.goal), { share: "other" });
    await until(async () => (await started.figure('svc_worker_queue_depth{size="base"}')) === 1);
    first.open();
    // The other account's turn: the plan's second piece waits.
    await until(async () => (await started.figure(batches)) === 2);
    await until(async () => (await started.figure('svc_worker_queue_depth{size="base"}')) === 1);
    expect((await light()).status).toBe(429);
    third.open();
    second.open();
    expect((await Promise.all([heavy, other])).map(({ status }) => status)).toEqual([200, 200]);
    expect((await light()).status).toBe(200);
  });

  it("has its further pieces in batches of their own, so that no other plan waits while they read", async () => {
    const started = await startWorker();
    worker = started;
    const [first, second, third] = [createGate(), createGate(), createGate()];
    const heavy = started.plan(planRequest("heavy", unseen(first.goal, second.goal)), { share: "heavy" });
    await until(async () => (await started.figure(batches)) === 1);
    const held = started.plan(planRequest(third.goal), { share: "held" });
    await until(async () => (await started.figure('svc_worker_queue_depth{size="base"}')) === 1);
    first.open();
    await until(async () => (await started.figure(batches)) === 2);
    await until(async () => (await started.figure('svc_worker_queue_depth{size="base"}')) === 1);
    const light = started.plan(planRequest("light"), { share: "light" });
    await until(async () => (await started.figure('svc_worker_queue_depth{size="base"}')) === 2);
    third.open();
    second.open();
    expect((await Promise.all([heavy, held, light])).map(({ status }) => status)).toEqual([200, 200, 200]);
    // The first piece, the held plan, the second piece, the light plan, and what is left of the heavy one.
    expect(await started.figure(batches)).toBe(5);
  });
});
