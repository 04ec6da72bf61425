import { describe, expect, it, vi } from "vitest";
import { type Fetch, nameShare } from "../../../edge/gpu-workers/call-worker.ts";
import { createGpuWorkers } from "../../../edge/gpu-workers/gpu-workers.ts";
import { errorTable } from "../../../shared/errors.ts";
import { createReplayGuard } from "../../../shared/replay-guard.ts";
import { createVerifier, workerAudience } from "../../../shared/signature.ts";
import type { WorkerHealth } from "../../../shared/worker-health.ts";
import type { TaskRequest } from "../../../shared/worker-tasks.ts";
import {
  type Answer,
  busy,
  cut,
  failureOf,
  json,
  keys,
  one,
  plan,
  planned,
  refused,
  request,
  setUp,
  two,
} from "../support/gpu-fleet.ts";

const health: WorkerHealth = {
  status: "healthy",
  sizes: ["base"],
  dimensions: { base: 384 },
  device: "cpu",
  brain: {
    loaded: false,
    checkpoint: "base",
    device: "cpu",
    num_actions: 903,
    random_baseline_nats: 6.8,
    sentence_transformers: true,
    tool_matching: "sentence-transformers",
  },
};

const notLoaded = refused(503, "world_model_not_loaded", { sizes: ["large"] });

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

describe("planning on the gpu-workers", () => {
  it("takes one call, signed for that worker, its path and its body", async () => {
    const { publicJwks } = keys;
    for (const audience of [workerAudience, one]) {
      const verifier = await createVerifier({ jwks: publicJwks, audience, replay: createReplayGuard() });
      const calls: [string, RequestInit][] = [];
      const fetch: Fetch = async (url, init) => {
        calls.push([url, init]);
        return json(plan);
      };
      const workers = createGpuWorkers({
        urls: [one],
        signingKey: keys.privateJwk,
        fetch,
        random: () => 0,
        now: Date.now,
      });
      expect(
        await workers.run("plan", request, {
          signal: new AbortController().signal,
          requestId: "r-1",
          accountId: "acct_1",
          traceparent,
        }),
      ).toEqual(plan);
      expect(calls).toHaveLength(1);
      const [url, init] = calls[0] ?? ["", {}];
      const headers = new Headers(init.headers);
      expect(url).toBe(`${one}/plan`);
      expect(JSON.parse(init.body as string)).toEqual(request);
      expect(headers.get("x-request-id")).toBe("r-1");
      expect(headers.get("traceparent")).toBe(traceparent);
      const token = headers.get("authorization")?.replace("Bearer ", "") ?? "";
      const verdict = await verifier.verify({
        token,
        method: "POST",
        path: "/plan",
        body: init.body as string,
        now: Date.now(),
      });
      expect(verdict).toMatchObject({ ok: true, value: { share: expect.stringMatching(/^[\w-]{16}$/) } });
      expect(JSON.stringify([...headers, atob(token.split(".")[1]!)])).not.toContain("acct_1");
    }
  });

  it.each([
    ["cannot be reached", cut],
    ["has a full queue", busy],
    ["is shutting down", refused(503, "draining")],
    ["lost its thread", refused(503, "world_model_unavailable")],
    ["does not know the key", refused(401, "unauthorized")],
    ["cannot plan it", refused(500, "internal_error")],
    ["is behind a proxy that cannot reach it", () => new Response("<html>", { status: 502 })],
    ["is behind a tunnel that is down", () => new Response("error code: 1033", { status: 530 })],
    ["is behind a tunnel that does not know it", () => new Response("<html>", { status: 404 })],
    ["answers what is no plan", () => json({ steps: "none" })],
  ])("tries another worker once when one %s", async (_name, answer) => {
    const { ask, asked } = setUp({ [one]: [answer], [two]: [planned] });
    expect(await ask()).toEqual(plan);
    expect(asked).toEqual([one, two]);
  });

  it("tries the same worker once more when there is no other", async () => {
    const { ask, asked } = setUp({ [one]: [cut, planned] });
    expect(await ask()).toEqual(plan);
    expect(asked).toEqual([one, one]);
  });

  it("gives up after the second try, and says what to do without a word of the hosts", async () => {
    const { ask, asked } = setUp({ [one]: [cut], [two]: [cut] });
    const error = await failureOf(ask());
    expect(error).toMatchObject({ code: "world_model_unavailable", status: 503, reason: "network" });
    expect(error.details.retryAfterSeconds).toBeGreaterThan(0);
    expect(error.message).toContain("again");
    expect(error.message).not.toMatch(/one|two|example|refused/);
    expect(asked).toHaveLength(2);
  });

  const silent = () => new Promise<Response>(() => {});

  it("goes to another worker where one lets its time pass and is silent on its health", async () => {
    const { ask, asked } = setUp({ [one]: [silent, cut], [two]: [planned] }, { timeoutMs: 20 });
    expect(await ask()).toEqual(plan);
    expect(asked).toEqual([one, `${one}/health`, two]);
  });

  it.each([
    ["answers for its health: it is busy, and more work would not help", [() => json(health)], [planned]],
    ["is the only one", [cut], undefined],
  ])(
    "stops waiting after its limit, and does not start again, where the worker %s",
    async (_, after, other) => {
      const fleet = { [one]: [silent, ...after], ...(other && { [two]: other }) };
      const { ask, asked } = setUp(fleet, { timeoutMs: 20 });
      expect(await failureOf(ask())).toMatchObject({ code: "world_model_unavailable", reason: "timeout" });
      expect(asked).toEqual([one, `${one}/health`]);
    },
  );

  it("does not take a time-out for illness while the worker answers for its health", async () => {
    const { ask, asked, fleet } = setUp({ [one]: [() => json(health)] }, { timeoutMs: 20 });
    // Its health is answered, its plans are not.
    const plans: Answer[] = [];
    fleet[one] = plans;
    for (let count = 0; count < 4; count += 1) {
      plans.push(
        () => new Promise(() => {}),
        () => json(health),
      );
      expect(await failureOf(ask())).toMatchObject({ reason: "timeout" });
    }
    plans.push(planned, planned);
    expect(await ask()).toEqual(plan);
    expect(asked.filter((url) => url.endsWith("/health"))).toHaveLength(4);
  });

  it("sets a worker aside that times out and is silent on its health", async () => {
    const { ask, asked, fleet } = setUp({ [one]: [silent], [two]: [planned] }, { timeoutMs: 20 });
    for (let count = 0; count < 3; count += 1) {
      fleet[one] = [silent, cut];
      await ask();
    }
    asked.length = 0;
    expect(await ask()).toEqual(plan);
    expect(asked).toEqual([two]);
  });

  it("ends with the caller's own reason when the caller leaves, and blames nobody", async () => {
    // Its end is not that of the call's own time, which never comes here.
    const { workers, asked, fleet, ask } = setUp(
      { [one]: [() => new Promise(() => {})] },
      { timeoutMs: 3_600_000 },
    );
    for (let count = 0; count < 3; count += 1) {
      const caller = new AbortController();
      const work = workers.run("plan", request, {
        signal: caller.signal,
        requestId: "r-1",
        accountId: "acct_1",
      });
      // Once before the call is made, else while it waits for its answer.
      if (count > 0) await expect.poll(() => asked).toHaveLength(count);
      else expect(asked).toEqual([]);
      caller.abort(new Error("client left"));
      await expect(work).rejects.toThrow("client left");
    }
    fleet[one] = [planned];
    expect(await ask()).toEqual(plan);
    expect(asked).toHaveLength(3);
  });
});

it("a worker that took long is asked less: the other one is next", async () => {
  const { ask, asked, clock, fleet } = setUp({ [one]: [planned], [two]: [planned] });
  for (const [worker, ms] of [
    [one, 200],
    [two, 5],
  ] as const)
    fleet[worker] = [
      () => {
        clock.now += ms;
        return json(plan);
      },
    ];
  for (let count = 0; count < 4; count++) await ask();
  expect(asked).toEqual([one, two, two, two]);
});

describe("the name under which a worker knows an account", () => {
  it("is its own, always the same, and tells nothing of its id", async () => {
    const names = await Promise.all(["acct_1", "acct_2", "acct_1"].map(nameShare));
    expect(names[0]).toMatch(/^[\w-]{16}$/);
    expect([names[0] === names[1], names[0] === names[2]]).toEqual([false, true]);
    expect(names.join()).not.toContain("acct");
  });
});

describe("how long a worker's answer is waited for", () => {
  it.each<["plan" | "embed", TaskRequest<"plan" | "embed">, number]>([
    ["plan", request, 10_000],
    ["embed", { size: "base", texts: ["a"] }, 60_000],
  ])("is the task's own time: %s", async (task, asked, timeoutMs) => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    const { workers } = setUp({ [one]: [cut] });
    const signal = new AbortController().signal;
    await failureOf(workers.run(task, asked, { signal, requestId: "r-1", accountId: "acct_1" }));
    const waits = timers.mock.calls.map(([, ms]) => ms);
    timers.mockRestore();
    expect(waits).toContain(timeoutMs);
  });

  it("is ten minutes for all workers together: later the sweep takes the request for dead", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    const { workers, clock, fleet } = setUp({ [one]: [], [two]: [] });
    for (const worker of [one, two])
      fleet[worker] = [
        () => {
          clock.now += 500_000;
          return cut();
        },
      ];
    const signal = new AbortController().signal;
    const asked = { size: "base", texts: ["a"] } as const;
    const call = { signal, requestId: "r-1", accountId: "acct_1" };
    await failureOf(workers.run("embed", { ...asked, texts: [...asked.texts] }, call));
    const waits = timers.mock.calls.map(([, ms]) => ms);
    timers.mockRestore();
    expect(waits.filter((ms) => ms !== 60_000)).toEqual([600_000, 100_000]);
  });
});

describe("texts to embed of which one is too long", () => {
  it("are 413 naming that one, and sent to no other worker, since the text is at fault", async () => {
    const { workers, asked } = setUp({
      [one]: [refused(413, "text_too_long", { index: 3 })],
      [two]: [planned],
    });
    const texts = ["a", "b", "c", "d"];
    const signal = new AbortController().signal;
    const error = await failureOf(
      workers.run("embed", { size: "base", texts }, { signal, requestId: "r-1", accountId: "acct_1" }),
    );
    expect(error).toMatchObject({ code: "request_too_large", details: { param: "input.3" } });
    expect(error.message).toContain("index 3");
    expect(asked).toEqual([`${one}/embed`]);
  });
});

describe("that a plan of a size can be expected", () => {
  const rollout = { size: "base", goal: "g", initialState: "s", maxSteps: 1 } as const;
  const rolledOut: Answer = () =>
    json({ initialState: "s", steps: [], tokens: 1, timings: { queueMs: 0, modelMs: 1 } });

  it("is so for a minute after one was made, and for that size alone", async () => {
    const { workers, ask, clock } = setUp({ [one]: [planned] });
    expect(workers.serves("base")).toBe(false);
    await ask();
    expect([workers.serves("base"), workers.serves("large")]).toEqual([true, false]);
    clock.now += 59_999;
    expect(workers.serves("base")).toBe(true);
    clock.now += 1;
    expect(workers.serves("base")).toBe(false);
  });

  it("does not follow from another task, nor from a plan that failed", async () => {
    const { workers, ask } = setUp({ [one]: [rolledOut, cut] });
    const signal = new AbortController().signal;
    await workers.run("rollout", rollout, { signal, requestId: "r-1", accountId: "acct_1" });
    await failureOf(ask());
    expect(workers.serves("base")).toBe(false);
  });
});

describe("a size that is not loaded", () => {
  it("is 503 world_model_not_loaded naming the sizes that are, and is not asked for again at once", async () => {
    const { ask, asked } = setUp({
      [one]: [notLoaded],
      [two]: [refused(503, "world_model_not_loaded", { sizes: ["base"] })],
    });
    const error = await failureOf(ask("xl"));
    expect(error.code).toBe("world_model_not_loaded");
    expect(errorTable[error.code].status).toBe(503);
    expect(error.message).toMatch(/xl.*large.*base/);
    expect(asked).toHaveLength(2);
    await failureOf(ask("xl"));
    expect(asked).toHaveLength(2);
  });

  it("is found on the worker that has it", async () => {
    const { ask, asked } = setUp({ [one]: [notLoaded], [two]: [planned] });
    expect(await ask()).toEqual(plan);
    expect(await ask()).toEqual(plan);
    expect(asked).toEqual([one, two, two]);
  });

  it("is looked for again after half a minute", async () => {
    const { ask, clock, fleet } = setUp({ [one]: [notLoaded] });
    expect((await failureOf(ask())).code).toBe("world_model_not_loaded");
    clock.now += 30_000;
    fleet[one] = [planned];
    expect(await ask()).toEqual(plan);
  });

  it("never makes a request go round for ever, even if a worker contradicts itself", async () => {
    const odd = refused(503, "world_model_not_loaded", { sizes: ["base"] });
    const { ask, asked } = setUp({ [one]: [odd], [two]: [cut] });
    expect((await failureOf(ask())).code).toMatch(/world_model/);
    expect(asked.length).toBeLessThanOrEqual(3);
  });
});

describe("the workers' health", () => {
  it("is asked of all, merged, and kept for 5 s", async () => {
    const large = () => json({ ...health, sizes: ["large", "base"] });
    const { workers, asked, clock } = setUp({ [one]: [() => json(health)], [two]: [large] });
    expect(await workers.health()).toEqual({ sizes: ["base", "large"], brain: health.brain });
    clock.now += 4_999;
    await workers.health();
    expect(asked).toEqual([`${one}/health`, `${two}/health`]);
    clock.now += 1;
    await workers.health();
    expect(asked).toHaveLength(4);
    // The clock is set back by an hour: the last answer must not be kept for as long.
    clock.now -= 3_600_000;
    await workers.health();
    expect(asked).toHaveLength(6);
  });

  it("says that nothing is loaded when nobody answers well", async () => {
    const { workers } = setUp({ [one]: [cut], [two]: [() => json({ status: "healthy" })] });
    const { sizes, brain } = await workers.health();
    expect(sizes).toEqual([]);
    expect(brain).toMatchObject({ loaded: false, num_actions: 903 });
  });

  it("does not believe what comes with a status of failure: a draining worker has its sizes no longer", async () => {
    const draining = () => json(health, 503);
    const { workers } = setUp({ [one]: [draining], [two]: [() => json({ ...health, sizes: ["large"] })] });
    expect((await workers.health()).sizes).toEqual(["large"]);
  });

  it("waits a second at most for a worker that says nothing", async () => {
    const { workers } = setUp({ [one]: [() => new Promise(() => {})], [two]: [() => json(health)] });
    const startedAt = Date.now();
    expect((await workers.health()).sizes).toEqual(["base"]);
    expect(Date.now() - startedAt).toBeLessThan(2_500);
  });
});
