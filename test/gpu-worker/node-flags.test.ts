import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { afterAll, expect, it, vi } from "vitest";
import { workerNodeFlags, workerVariables } from "../../gpu-worker/node-flags.ts";
import { createPlannerPool } from "../../gpu-worker/planner-pool.ts";
import { planRequest } from "./support/worker.ts";

// Threads start slowly on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

it("starts the gpu-worker with the same flags by npm as beside the edge", () => {
  const file = fileURLToPath(new URL("../../package.json", import.meta.url));
  const { scripts } = JSON.parse(readFileSync(file, "utf8"));
  const variables = Object.entries(workerVariables).map(([name, value]) => `${name}=${value}`);
  expect(scripts.worker).toBe(
    ["exec env", ...variables, "node", ...workerNodeFlags, "gpu-worker/main.ts"].join(" "),
  );
});

afterAll(() => setFlagsFromString("--max-semi-space-size=0"));

it("leaves a planner's thread its own bounds, whatever the flags of the process", async () => {
  setFlagsFromString("--max-semi-space-size=32");
  const pool = await createPlannerPool({
    threads: 1,
    planner: { checkpointDir: "/nowhere/base", device: "cpu" },
    plannerModule: new URL("./support/hungry-planner.ts", import.meta.url).href,
    log: () => {},
  });
  const [outcome] = await pool.run([{ name: "plan", request: planRequest("fill the young generation") }]);
  await pool.close();
  const answer = outcome!.ok && "tokens" in outcome!.answer ? outcome!.answer : undefined;
  const [youngMib, heapMib] = [answer?.tokens, answer?.timings.modelMs];
  // By the process's flag they would be 64, and 608.
  expect(youngMib).toBeLessThan(32);
  expect(heapMib).toBeLessThan(600);
});
