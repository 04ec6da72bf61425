// Workers that are restarted one after the other: no request of the edge fails meanwhile.
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { createGpuWorkers } from "../../edge/gpu-workers/gpu-workers.ts";
import { settlePort } from "../../scripts/self-host/ports.ts";
import { createSigningKeys } from "../../shared/signature.ts";
import { launch } from "./support/process.ts";
import { planRequest, until } from "./support/worker.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const script = fileURLToPath(new URL("./support/run-with-fake-planner.ts", import.meta.url));
const callers = 16;
type Worker = Awaited<ReturnType<typeof launch>>;
const running: Worker[] = [];
afterEach(() => {
  for (const worker of running.splice(0)) worker.process.kill("SIGKILL");
});

test("of two workers under load one ends by SIGTERM and comes back, then the other: every plan is answered", async () => {
  const { privateJwk, publicJwks } = await createSigningKeys();
  const start = async (port?: string) => {
    const worker = await launch(script, {
      EDGE_PUBLIC_KEYS: JSON.stringify(publicJwks),
      // One that stays free while the worker is away.
      WORKER_PORT: port ?? String(await settlePort("WORKER_PORT", 0)),
      WORKER_THREADS: "1",
    });
    running.push(worker);
    return worker;
  };
  const workers = await Promise.all([start(), start()]);
  const urls = workers.map(({ url }) => url!);
  const fleet = createGpuWorkers({
    urls,
    signingKey: privateJwk,
    fetch: (url, init) => fetch(url, init),
    random: Math.random,
    now: Date.now,
  });

  let [answered, stopped] = [0, false];
  const errors: unknown[] = [];
  const call = async (caller: number) => {
    while (!stopped) {
      const goal = `goal ${answered} of ${caller}`;
      const context = {
        signal: new AbortController().signal,
        requestId: `r-${caller}`,
        accountId: `acct_${caller}`,
      };
      try {
        // The planner answers with the goal: a name that the edge takes where it is one of the request's tools.
        const { steps } = await fleet.run(
          "plan",
          planRequest(goal, { tools: [{ name: goal, description: "" }] }),
          context,
        );
        expect(steps[0]?.actionName).toBe(goal);
        answered += 1;
      } catch (error) {
        errors.push(error);
      }
    }
  };
  const load = Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  const answers = (more: number) => {
    const goal = answered + more;
    return until(() => answered >= goal || errors.length > 0, 60_000);
  };

  await answers(200);
  for (const [place, old] of workers.entries()) {
    old.process.kill("SIGTERM");
    expect(await old.exited).toBe(0);
    await answers(100);
    const back = await start(new URL(urls[place]!).port);
    expect(back.url).toBe(urls[place]);
    // The edge leaves a worker that failed alone for 10 s; before the other one goes it has to be in use again.
    await until(async () => {
      const page = await (await fetch(`${back.url}/metrics`)).text();
      return /^svc_worker_batch_requests_count [1-9]/m.test(page);
    }, 60_000);
  }
  stopped = true;
  await load;
  expect(errors).toEqual([]);
  expect(answered).toBeGreaterThan(400);
});
