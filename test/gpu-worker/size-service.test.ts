import { expect, it } from "vitest";
import type { Outcome } from "../../gpu-worker/batcher.ts";
import { createMetrics } from "../../gpu-worker/metrics.ts";
import type { PlannerPool, TaskAnswer } from "../../gpu-worker/planner-pool.ts";
import type { PlanTask } from "../../gpu-worker/planning/read-ahead.ts";
import { createSizeService } from "../../gpu-worker/size-service.ts";
import type { EmbedRequest } from "../../shared/embedding.ts";
import type { Task } from "../../shared/worker-tasks.ts";
import { fakePlan } from "./support/fake-planner.ts";
import { planRequest } from "./support/worker.ts";

/** Answers a plan that is read in `pieces` pieces before it is made. */
const planIn =
  (pieces: number) =>
  (task: Task): Outcome<TaskAnswer> => {
    const { readTexts = [], ...request } = task.request as PlanTask;
    const timings = { queueMs: 0, modelMs: 1 };
    if (readTexts.length === pieces) return { ok: true, answer: fakePlan(request) };
    const texts = [...readTexts, { vector: new Float32Array(1), tokens: 1 }];
    return { ok: true, answer: { readTexts: texts, tokens: texts.length, timings } };
  };

/** A size with one thread, whose batches end when they are told to. */
function setUp(answerTo: (task: Task) => Outcome<TaskAnswer>) {
  const ends: (() => void)[] = [];
  let busy = false;
  const pool: PlannerPool = {
    description: { size: "base", dimension: 8, device: "cpu", checkpoint: "fake", numActions: 903 },
    lanes: 1,
    free: () => (busy ? 0 : 1),
    run(tasks) {
      busy = true;
      return new Promise((resolve) => {
        ends.push(() => {
          busy = false;
          resolve(tasks.map(answerTo));
        });
      });
    },
    isDown: () => false,
    restarts: () => 0,
    onRecovered: () => {},
    close: async () => {},
  };
  const limits = {
    maxQueuedRequests: 8,
    maxQueuedTokens: 1_000,
    maxBatchRequests: 4,
    maxBatchTokens: 1_000,
  };
  const clock = { now: 0 };
  const metrics = createMetrics();
  const service = createSizeService({ pool, limits, metrics, now: () => clock.now });
  return { ends, service, metrics, clock };
}

it("is idle only after the answer, though nothing waits or runs between two pieces of a plan", async () => {
  const { ends, service } = setUp(planIn(2));
  const told: string[] = [];
  const context = { share: "a", signal: new AbortController().signal };
  const answer = service.run("plan", planRequest("heavy"), context).then(() => told.push("answer"));
  const idle = service.whenIdle().then(() => told.push("idle"));
  for (let piece = 0; piece < 3; piece++) {
    await new Promise(setImmediate);
    ends[piece]!();
  }
  await Promise.all([answer, idle]);
  expect(told).toEqual(["answer", "idle"]);
});

it("drops the parts of an embeddings request that wait when one of them has failed", async () => {
  const { ends, service } = setUp(() => ({ ok: false, error: new Error("broke") }));
  const context = { share: "a", signal: new AbortController().signal };
  const texts = Array.from({ length: 4 }, (_, at) => `${at} `.repeat(700));
  const answer = service.run("embed", { size: "base", texts }, context);
  const depth = () => service.readings().find(({ name }) => name === "svc_worker_queue_depth")!.value;
  expect(depth()).toBe(3);
  ends[0]!();
  await expect(answer).rejects.toThrow("broke");
  expect(depth()).toBe(0);
});

it("says in seconds how long a request waited, and has room again for an account whose caller left", async () => {
  const { ends, service, metrics, clock } = setUp(planIn(0));
  const never = new AbortController().signal;
  const plan = (signal = never) => service.run("plan", planRequest("go"), { share: "a", signal });
  const running = plan();
  const leaving = new AbortController();
  const left = Array.from({ length: 8 }, () => plan(leaving.signal).catch(({ code }) => code));
  expect(() => service.checkOpen("plan", "a")).toThrow(expect.objectContaining({ code: "account_busy" }));
  leaving.abort();
  expect(await Promise.all(left)).toEqual(Array(8).fill("client_left"));
  service.checkOpen("plan", "a");
  const waiting = plan();
  clock.now = 1_500;
  ends[0]!();
  await running;
  ends[1]!();
  expect((await waiting).timings.queueMs).toBe(1_500);
  const page = metrics.render([]);
  expect(page).toContain("svc_worker_queue_seconds_sum 1.5\n");
  expect(page).toContain("svc_worker_model_seconds_sum 0.002\n");
});

it("takes more embeddings at once where it has seen that they are done fast", async () => {
  const vectors = (task: Task): Outcome<TaskAnswer> => {
    const { texts } = task.request as EmbedRequest;
    const timings = { queueMs: 0, modelMs: 1 };
    return { ok: true, answer: { vectors: texts.map(() => ""), dimension: 8, tokens: 1, timings } };
  };
  const { ends, service } = setUp(vectors);
  const context = { share: "a", signal: new AbortController().signal };
  const embed = (count: number) =>
    service.run("embed", { size: "base", texts: Array(count).fill("x ".repeat(900)) }, context);
  const first = embed(1);
  ends[0]!();
  await first;
  const held = embed(5);
  // Some 90,000 tokens each, of which a slow worker would take one and a third in time.
  const large = [embed(100), embed(100)];
  for (const one of large) one.catch(() => {});
  await new Promise(setImmediate);
  expect(await Promise.race([...large, "still waits"])).toBe("still waits");
  void held.catch(() => {});
});
