import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { PlanRequest } from "../../shared/planning.ts";
import { createGate } from "./support/gate.ts";
import { launch as launchScript } from "./support/process.ts";
import { planRequest, until } from "./support/worker.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const script = fileURLToPath(new URL("./support/run-with-fake-planner.ts", import.meta.url));
let started: Awaited<ReturnType<typeof launchScript>> | undefined;
afterEach(() => void started?.process.kill("SIGKILL"));

async function launch(variables?: Record<string, string>) {
  started = await launchScript(script, variables);
  const plan = (goal: string, extra?: Partial<PlanRequest>) => started!.plan(planRequest(goal, extra));
  return { ...started, plan };
}

describe("the worker process", () => {
  it("prints one line when it is warm, and on SIGTERM finishes what it has taken before it exits 0", async () => {
    const worker = await launch({ WORKER_THREADS: "1" });
    expect(worker.url).toBeDefined();
    const shows = (line: string) =>
      until(async () => (await (await fetch(`${worker.url}/metrics`)).text()).includes(line));
    const gate = createGate();
    const running = worker.plan(gate.goal);
    // Two connections: the second request might else be the first to be read.
    await shows("svc_worker_batch_requests_count 1");
    const queued = worker.plan("queued");
    await shows('queue_depth{size="base"} 1');
    worker.process.kill("SIGTERM");
    await until(() => worker.output.err.includes("draining"));
    gate.open();
    expect((await running).status).toBe(200);
    expect((await queued).status).toBe(200);
    expect(await worker.exited).toBe(0);
    await expect(worker.plan("late")).rejects.toThrow();
    expect(worker.output.out.match(/\n/g)).toHaveLength(1);
    for (const line of worker.output.err.trimEnd().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
    expect(worker.output.err).not.toContain("queued");
  });

  it("finishes a plan of several pieces on SIGTERM, though nothing is queued between two of them", async () => {
    const worker = await launch({ WORKER_THREADS: "1" });
    const [first, last] = [createGate(), createGate()];
    const said = [first.goal, "more", "more", last.goal];
    const tools = said.map((one, at) => ({ name: `tool_${at}`, description: `unseen ${one}` }));
    const running = worker.plan("heavy", { tools });
    const shows = async (line: string) =>
      (await (await fetch(`${worker.url}/metrics`)).text()).includes(line);
    await until(() => shows("svc_worker_batch_requests_count 1"));
    worker.process.kill("SIGTERM");
    await until(() => worker.output.err.includes("draining"));
    first.open();
    // Longer than answers get to reach their sockets.
    await new Promise((resolve) => setTimeout(resolve, 600));
    last.open();
    expect((await running).status).toBe(200);
    expect(await worker.exited).toBe(0);
  });

  it("stops at once on SIGINT when it is idle, even with a connection held open", async () => {
    const worker = await launch();
    await worker.plan("warm the connection");
    const startedAt = performance.now();
    worker.process.kill("SIGINT");
    expect(await worker.exited).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(6_000);
  });

  it("serves on when the reader of its log has left", async () => {
    const worker = await launch();
    worker.process.stderr!.destroy();
    // Each refusal is a line of the log.
    for (let count = 0; count < 3; count += 1)
      expect((await fetch(`${worker.url}/plan`, { method: "POST" })).status).toBe(401);
    expect((await worker.plan("g")).status).toBe(200);
    worker.process.kill("SIGTERM");
    expect(await worker.exited).toBe(0);
  });

  it("stops when its supervisor has died", async () => {
    const worker = await launch({ SUPERVISED: "1" });
    worker.process.stdin?.end();
    expect(await worker.exited).toBe(0);
  });

  it.each([
    ["without the edge's keys", { EDGE_PUBLIC_KEYS: "" }, "EDGE_PUBLIC_KEYS must be"],
    [
      "when a checkpoint does not load",
      { MODEL_SIZES: "base", FAKE_BROKEN: "1" },
      "The size base (MODEL_SIZES, MODEL_DIR)",
    ],
    ["on a port it may not have", { WORKER_HOST: "192.0.2.1" }, "Set WORKER_PORT or WORKER_HOST"],
  ])("does not start %s, and says what to do", async (_name, variables, hint) => {
    const worker = await launch(variables as Record<string, string>);
    expect(await worker.exited).toBe(1);
    expect(worker.output.out).toBe("");
    expect(JSON.parse(worker.output.err.trimEnd().split("\n").at(-1) ?? "").message).toContain(hint);
  });
});
