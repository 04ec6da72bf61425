import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createPlannerPool,
  type PlannerPool,
  type PlannerPoolOptions,
} from "../../gpu-worker/planner-pool.ts";
import type { PlanRequest } from "../../shared/planning.ts";
import { type Task, workerTasks } from "../../shared/worker-tasks.ts";
import { fakePlan, fakePlannerModule } from "./support/fake-planner.ts";
import { createGate } from "./support/gate.ts";
import { planRequest, until } from "./support/worker.ts";

// Threads start slowly on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const planTask = (request: PlanRequest): Task => ({ name: "plan", request });

let pool: PlannerPool | undefined;
afterEach(async () => {
  await pool?.close();
  pool = undefined;
});

async function start(options: Partial<PlannerPoolOptions> = {}): Promise<PlannerPool> {
  pool = await createPlannerPool({
    threads: 1,
    planner: { checkpointDir: "/nowhere/base", device: "cpu" },
    plannerModule: fakePlannerModule,
    log: () => {},
    restartDelayMs: 5,
    ...options,
  });
  return pool;
}

describe("a pool of planner threads", () => {
  it("is told by its planner what it holds, and gives back one outcome per request, in order", async () => {
    const { description, run } = await start();
    expect(description).toMatchObject({ size: "base", numActions: 903 });
    const requests = ["a", "throw", "b"].map((goal) => planRequest(goal));
    expect(await run(requests.map(planTask))).toMatchObject([
      { ok: true, answer: fakePlan(requests[0]!) },
      { ok: false, error: { code: "internal_error", details: { reason: "TypeError" } } },
      { ok: true, answer: fakePlan(requests[2]!) },
    ]);
  });

  it("runs one batch per thread at the same time", async () => {
    const { run, free } = await start({ threads: 2 });
    const [one, two] = [createGate(), createGate()];
    const first = run([planTask(planRequest(one.goal))]);
    const second = run([planTask(planRequest(two.goal))]);
    expect(free()).toBe(0);
    // The later batch ends first: neither waits for the other.
    two.open();
    expect(await second).toMatchObject([{ ok: true }]);
    expect(free()).toBe(1);
    one.open();
    await first;
    expect(free()).toBe(2);
  });

  it("ends a thread that hangs, fails what it held, and tells when the next one is warm", async () => {
    const { run, free, onRecovered, restarts } = await start({ batchTimeoutMs: 100 });
    let recovered = 0;
    onRecovered(() => {
      recovered += 1;
    });
    const outcomes = await run([createGate().goal, "neighbour"].map((goal) => planTask(planRequest(goal))));
    expect(outcomes).toMatchObject([
      { ok: false, error: { code: "world_model_unavailable" } },
      { ok: false, error: { code: "world_model_unavailable" } },
    ]);
    expect(free()).toBe(0);
    await until(() => recovered === 1);
    expect([free(), restarts()]).toEqual([1, 1]);
    expect(await run([planTask(planRequest("after"))])).toMatchObject([{ ok: true }]);
  });

  it("is down when its threads cannot load again for a while, and no longer when one can", async () => {
    const { run, isDown, free } = await start({ patienceMs: 200 });
    expect(isDown()).toBe(false);
    process.env.FAKE_BROKEN = "1";
    try {
      await run([planTask(planRequest("crash"))]);
      expect(isDown()).toBe(false);
      await until(() => isDown());
    } finally {
      delete process.env.FAKE_BROKEN;
    }
    await until(() => free() === 1);
    expect(isDown()).toBe(false);
  });

  it("ends a thread whose plan nobody waits for any more", async () => {
    const ended = vi.fn();
    const { run } = await start({ log: ended });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const outcomes = run([planTask(planRequest(createGate().goal))]);
    vi.advanceTimersByTime(workerTasks.plan.timeoutMs);
    vi.useRealTimers();
    expect(await outcomes).toMatchObject([{ ok: false, error: { code: "world_model_unavailable" } }]);
    expect(ended).toHaveBeenCalledWith("error", "planner thread hung", { durationMs: 10_000 });
  });

  it("lets a thread live on that ended its batch in time", async () => {
    const { run, restarts, free } = await start({ batchTimeoutMs: 2_000 });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      expect(await run([planTask(planRequest("quick"))])).toMatchObject([{ ok: true }]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
    expect([restarts(), free()]).toEqual([0, 1]);
  });

  it("waits longer before each restart in a row, and not after one that has worked since", async () => {
    const delays: (number | undefined)[] = [];
    const { run, free } = await start({
      log: (_level, event, fields) =>
        void (event === "planner thread restarts" && delays.push(fields?.durationMs)),
    });
    for (const goal of ["crash", "crash", "works", "crash"]) {
      await until(() => free() === 1);
      await run([planTask(planRequest(goal))]);
    }
    await until(() => free() === 1);
    expect(delays).toEqual([5, 10, 5]);
  });

  it("closes within a second or so although a thread hangs", async () => {
    const { run, close } = await start({ batchTimeoutMs: 60_000 });
    const held = run([planTask(planRequest(createGate().goal))]);
    await close();
    expect(await held).toMatchObject([{ ok: false, error: { code: "world_model_unavailable" } }]);
  });

  it("does not start without a checkpoint, and passes on what the planner said", async () => {
    const planner = { checkpointDir: "/nowhere/at-all", device: "cpu" as const };
    await expect(start({ planner, threads: 2 })).rejects.toThrow("there is no checkpoint in this folder");
  });
});
