import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { createSigner, createSigningKeys, workerAudience } from "../../shared/signature.ts";
import { planRequest, until } from "./support/worker.ts";

const script = fileURLToPath(new URL("./support/run-with-fake-planner.ts", import.meta.url));
let child: ChildProcess | undefined;
afterEach(() => void child?.kill("SIGKILL"));

async function launch(variables: Record<string, string> = {}) {
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
  child = started;
  const output = { out: "", err: "" };
  started.stdout.on("data", (chunk) => {
    output.out += chunk;
  });
  started.stderr.on("data", (chunk) => {
    output.err += chunk;
  });
  const exited = once(started, "exit").then(([code]) => code as number);
  await Promise.race([until(() => output.out.includes("\n")), exited]);
  const url = /^listening (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(output.out)?.[1];
  const plan = async (goal: string) => {
    const body = JSON.stringify(planRequest(goal));
    const token = await signer.sign({
      audience: workerAudience,
      method: "POST",
      path: "/plan",
      body,
      now: Date.now(),
      nonce: crypto.randomUUID(),
    });
    return fetch(`${url}/plan`, { method: "POST", headers: { authorization: `Bearer ${token}` }, body });
  };
  return { process: started, output, exited, url, plan };
}

describe("the worker process", () => {
  it("prints one line when it is warm, and on SIGTERM finishes what it has taken before it exits 0", async () => {
    const worker = await launch();
    expect(worker.url).toBeDefined();
    const running = worker.plan("block:400");
    const queued = worker.plan("queued");
    await until(async () =>
      /queue_depth\{size="base"\} 1/.test(await (await fetch(`${worker.url}/metrics`)).text()),
    );
    worker.process.kill("SIGTERM");
    expect((await running).status).toBe(200);
    expect((await queued).status).toBe(200);
    expect(await worker.exited).toBe(0);
    await expect(worker.plan("late")).rejects.toThrow();
    expect(worker.output.out.match(/\n/g)).toHaveLength(1);
    for (const line of worker.output.err.trimEnd().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
    expect(worker.output.err).not.toContain("queued");
  });

  it("stops at once on SIGINT when it is idle, even with a connection held open", async () => {
    const worker = await launch();
    await worker.plan("warm the connection");
    const startedAt = performance.now();
    worker.process.kill("SIGINT");
    expect(await worker.exited).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
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
