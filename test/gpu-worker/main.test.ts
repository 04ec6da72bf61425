import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { PlanResponse, WorkerHealth } from "../../shared/planning.ts";
import { launch } from "./support/process.ts";
import { planRequest } from "./support/worker.ts";

// It loads the real checkpoint.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let worker: Awaited<ReturnType<typeof launch>>;
beforeAll(async () => {
  worker = await launch(fileURLToPath(new URL("../../gpu-worker/main.ts", import.meta.url)));
});
afterAll(() => void worker.process.kill("SIGKILL"));

async function planned(goal: string) {
  return PlanResponse.parse(await (await worker.plan(planRequest(goal))).json());
}

describe("the real worker", () => {
  it("has the checkpoint of base, warm, when it says that it listens", async () => {
    const health = WorkerHealth.parse(await (await fetch(`${worker.url}/health`)).json());
    expect(health).toMatchObject({ sizes: ["base"], brain: { num_actions: 903 } });
    expect(health.brain.checkpoint).not.toContain("/");
  });

  it("says once for all its threads, in the log's own form, where it has no CUDA", () => {
    const lines = worker.output.err
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { device } = lines.find(({ event }) => event === "loaded");
    expect(lines.filter(({ event }) => event === "no CUDA")).toHaveLength(device === "cpu" ? 1 : 0);
  });

  it("plans two goals differently, and one goal alike alone and in a crowd", async () => {
    const alone = await planned("open the fridge and take the milk");
    const other = await planned("search the web for train tickets to Rome");
    const names = (plan: PlanResponse) => plan.steps.map((step) => step.actionName);
    expect(alone.tokens).toBeGreaterThan(0);
    expect(names(alone)).not.toEqual(names(other));
    const goals = Array.from({ length: 12 }, (_, index) => `read page ${index}`);
    const [inCrowd] = await Promise.all(["open the fridge and take the milk", ...goals].map(planned));
    expect({ ...inCrowd, timings: undefined }).toEqual({ ...alone, timings: undefined });
  });

  it("exits 0 on SIGTERM", async () => {
    worker.process.kill("SIGTERM");
    expect(await worker.exited).toBe(0);
  });
});
