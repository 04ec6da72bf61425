/** A worker as its own process, and a caller that signs for it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { PlanRequest } from "../../../shared/planning.ts";
import { createSigner, createSigningKeys, workerAudience } from "../../../shared/signature.ts";
import { type Task, workerTasks } from "../../../shared/worker-tasks.ts";
import { until } from "./worker.ts";

/** The real checkpoint loads in two seconds on a free machine. Below the 60 s of hooks and tests, which would end without a reason. */
const startTimeoutMs = 55_000;

/** Starts `script` as a worker and waits for its first line. `url` is undefined if it ended before. */
export async function launch(script: string, variables: Record<string, string> = {}) {
  const { privateJwk, publicJwks } = await createSigningKeys();
  const signer = await createSigner({ privateJwk });
  const started = spawn(process.execPath, [script], {
    env: {
      PATH: process.env.PATH,
      WORKER_PORT: "0",
      EDGE_PUBLIC_KEYS: JSON.stringify(publicJwks),
      ...variables,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output = { out: "", err: "" };
  started.stdout.on("data", (chunk) => {
    output.out += chunk;
  });
  started.stderr.on("data", (chunk) => {
    output.err += chunk;
  });
  const exited = once(started, "exit").then(([code]) => code as number);
  await Promise.race([until(() => output.out.includes("\n"), startTimeoutMs), exited]);
  const url = /^listening (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(output.out)?.[1];
  /** Asks for a task of the shared table, signed. */
  const ask = async ({ name, request }: Task) => {
    const { path } = workerTasks[name];
    const body = JSON.stringify(request);
    const token = await signer.sign({
      audience: workerAudience,
      method: "POST",
      path,
      body,
      now: Date.now(),
      nonce: crypto.randomUUID(),
    });
    return fetch(`${url}${path}`, { method: "POST", headers: { authorization: `Bearer ${token}` }, body });
  };
  const plan = (request: PlanRequest) => ask({ name: "plan", request });
  return { process: started, output, exited, url, ask, plan };
}
