// The environment variables that each child of `npm start` gets.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { expect, test, vi } from "vitest";
import { planGpuWorker } from "../../../scripts/self-host/children.ts";
import { root } from "../../support/service.ts";

async function variableOf(name: string, env: Record<string, string>): Promise<string | undefined> {
  const child = planGpuWorker(0, "{}", root, { PATH: process.env.PATH, ...env }, () => {}).spawn();
  const readVariables = () => readFileSync(`/proc/${child.pid}/environ`, "utf8").split("\0");
  try {
    // Until the new program is set up, the kernel lists none or those of this process; once it has ended, none. The last that a child
    // is given tells that all are there, and the value is taken from that same reading: the next one may come after the end.
    const variables = await vi.waitFor(() => {
      const read = readVariables();
      expect(read).toContain("SUPERVISED=1");
      return read;
    });
    return variables.find((one) => one.startsWith(`${name}=`))?.split("=")[1];
  } finally {
    child.kill("SIGKILL");
  }
}

test("the gpu-worker leaves a core to the parts beside it, unless the operator says how many threads it has", async () => {
  const cores = availableParallelism();
  expect(Number(await variableOf("WORKER_THREADS", {}))).toBe(cores === 1 ? 1 : Math.min(4, cores - 1));
  expect(await variableOf("WORKER_THREADS", { WORKER_THREADS: "3" })).toBe("3");
});

test("the gpu-worker is where its edge finds it, whatever the environment says of one on a host of its own", async () => {
  expect(await variableOf("WORKER_HOST", { WORKER_HOST: "::1" })).toBe("127.0.0.1");
  expect(await variableOf("WORKER_AUDIENCE", { WORKER_AUDIENCE: "https://gpu-1.example.com" })).toBe(
    undefined,
  );
});
