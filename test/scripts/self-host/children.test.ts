// The environment variables that each child of `npm start` gets.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { expect, test, vi } from "vitest";
import { planGpuWorker } from "../../../scripts/self-host/children.ts";
import { root } from "../../support/service.ts";

async function threadsOf(env: Record<string, string>): Promise<string | undefined> {
  const child = planGpuWorker(0, "{}", root, { PATH: process.env.PATH, ...env }, () => {}).spawn();
  const readVariables = () => readFileSync(`/proc/${child.pid}/environ`, "utf8").split("\0");
  try {
    // Until the new program is set up, the kernel lists none or those of this process. The last that a child is given tells that all are there.
    await vi.waitFor(() => expect(readVariables()).toContain("SUPERVISED=1"));
    return readVariables()
      .find((one) => one.startsWith("WORKER_THREADS="))
      ?.split("=")[1];
  } finally {
    child.kill("SIGKILL");
  }
}

test("the gpu-worker leaves a core to the parts beside it, unless the operator says how many threads it has", async () => {
  const cores = availableParallelism();
  expect(Number(await threadsOf({}))).toBe(cores === 1 ? 1 : Math.min(4, cores - 1));
  expect(await threadsOf({ WORKER_THREADS: "3" })).toBe("3");
});
