import { beforeAll, describe, expect, it } from "vitest";
import type { Fetch } from "../../../edge/gpu-workers/call-worker.ts";
import { createGpuWorkers } from "../../../edge/gpu-workers/gpu-workers.ts";
import { errorTable, type GatewayError } from "../../../shared/errors.ts";
import type { PlanRequest, PlanResponse, WorkerHealth } from "../../../shared/planning.ts";
import { createReplayGuard } from "../../../shared/replay-guard.ts";
import { createSigningKeys, createVerifier, workerAudience } from "../../../shared/signature.ts";

let keys: Awaited<ReturnType<typeof createSigningKeys>>;
beforeAll(async () => {
  keys = await createSigningKeys();
});

const request: PlanRequest = {
  size: "base",
  goal: "g",
  state: "s",
  history: [],
  turns: [],
  tools: [],
  maxSteps: 5,
};
const plan: PlanResponse = {
  steps: [],
  overallConfidence: 0.5,
  brainSignal: {
    actionType: "search",
    confidence: 1,
    planAhead: [],
    simulationConfirmed: true,
    goalProximity: 0,
  },
  goalReached: 0,
  tokens: 12,
  timings: { queueMs: 0, modelMs: 1 },
};
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

type Answer = () => Response | Promise<Response>;
const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });
const planned: Answer = () => json(plan);
const refused = (status: number, code: string, extra: object = {}): Answer => {
  return () => json({ error: { code, message: "m", ...extra } }, status);
};
const cut: Answer = () => Promise.reject(new TypeError("connection refused"));
const busy = refused(503, "overloaded");
const notLoaded = refused(503, "world_model_not_loaded", { sizes: ["large"] });

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const [one, two] = ["https://one.example", "https://two.example"] as const;

/** A fleet whose workers answer from a list, the last entry for ever. Time stands unless moved. */
/** The same numbers in each run (Park and Miller 1988). */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function setUp(fleet: Record<string, Answer[]>, options: { timeoutMs?: number; random?: () => number } = {}) {
  const asked: string[] = [];
  const clock = { now: Date.UTC(2026, 0, 1) };
  const fetch: Fetch = async (url, init) => {
    const { origin, pathname } = new URL(url);
    asked.push(origin + (pathname === "/plan" ? "" : pathname));
    const answers = fleet[origin] ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (!answer) throw new TypeError("no such host");
    const left = new Promise<never>((_resolve, reject) => {
      init.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    });
    return Promise.race([answer(), left]);
  };
  const workers = createGpuWorkers({
    urls: Object.keys(fleet),
    signingKey: keys.privateJwk,
    fetch,
    random: options.random ?? (() => 0),
    now: () => clock.now,
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
  });
  const signal = new AbortController().signal;
  return {
    workers,
    asked,
    clock,
    fleet,
    ask: (size = request.size) =>
      workers.run("plan", { ...request, size }, { signal, requestId: "r-1", accountId: "acct_1" }),
  };
}

async function failureOf(work: Promise<unknown>): Promise<GatewayError> {
  return work.then(
    () => expect.unreachable("it should have failed"),
    (error: GatewayError) => error,
  );
}

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
    const { workers, asked, fleet, ask } = setUp({ [one]: [() => new Promise(() => {})] });
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

describe("a worker that keeps failing", () => {
  it("is left alone for 10 s after three failures in a row, then tried again", async () => {
    const { ask, asked, clock, fleet } = setUp({ [one]: [cut], [two]: [planned] });
    for (let count = 0; count < 3; count += 1) expect(await ask()).toEqual(plan);
    expect(asked.filter((url) => url === one).length).toBe(3);
    for (let count = 0; count < 5; count += 1) await ask();
    clock.now += 9_999;
    await ask();
    expect(asked.filter((url) => url === one).length).toBe(3);
    clock.now += 1;
    fleet[one] = [planned];
    await ask();
    expect(asked.at(-1)).toBe(one);
  });

  it("is left alone too if it answers at once that it cannot plan, and so looks like the fastest", async () => {
    const { ask, asked } = setUp({ [one]: [refused(500, "internal_error")], [two]: [planned] });
    for (let count = 0; count < 10; count += 1) expect(await ask()).toEqual(plan);
    expect(asked.filter((url) => url === one)).toHaveLength(3);
  });

  it.each([
    ["could not plan", refused(500, "internal_error")],
    ["or their proxies refused", () => new Response("<html>", { status: 403 })],
  ])(
    "is not one for a request that all workers %s: other callers keep all of them",
    async (_name, answer) => {
      const { ask, asked, fleet } = setUp({ [one]: [answer], [two]: [answer] }, { random: createRandom() });
      for (let count = 0; count < 4; count += 1)
        expect(await failureOf(ask())).toMatchObject({ code: "world_model_unavailable" });
      fleet[one] = [planned];
      fleet[two] = [planned];
      asked.length = 0;
      for (let count = 0; count < 40; count += 1) await ask();
      expect(new Set(asked)).toEqual(new Set([one, two]));
    },
  );

  it("is found beside a second one like it", async () => {
    const broken = refused(500, "internal_error");
    const three = "https://three.example";
    const { ask, asked } = setUp(
      { [one]: [broken], [two]: [broken], [three]: [planned] },
      { random: createRandom() },
    );
    for (let count = 0; count < 200; count += 1) await ask().catch(() => undefined);
    asked.length = 0;
    for (let count = 0; count < 10; count += 1) expect(await ask()).toEqual(plan);
    expect(asked).toEqual(Array(10).fill(three));
  });

  it("is still tried when it is the last one, so it serves from the moment it is back", async () => {
    const { ask, fleet } = setUp({ [one]: [cut] });
    await failureOf(ask());
    await failureOf(ask());
    expect(await failureOf(ask())).toMatchObject({ code: "world_model_unavailable" });
    fleet[one] = [planned];
    expect(await ask()).toEqual(plan);
  });

  it("is not one with a full queue, and two failures with an answer between them do not count as three", async () => {
    const { ask, asked } = setUp({
      [one]: [cut, cut, planned, cut, planned, ...Array(6).fill(busy), planned],
    });
    await failureOf(ask());
    expect(await ask()).toEqual(plan);
    expect(await ask()).toEqual(plan);
    for (let count = 0; count < 6; count += 1) {
      const error = await failureOf(ask());
      expect(error.message).toContain("busy");
      expect(error.details.retryAfterSeconds).toBe(1);
    }
    expect(await ask()).toEqual(plan);
    // A busy worker is not asked a second time at once.
    expect(asked).toHaveLength(12);
  });

  it("tells an account that has too much waiting to slow down, and for how long (429)", async () => {
    const full = () =>
      new Response(JSON.stringify({ error: { code: "account_busy", message: "m" } }), {
        status: 429,
        headers: { "retry-after": "7" },
      });
    const { ask } = setUp({ [one]: [full], [two]: [full] });
    expect(await failureOf(ask())).toMatchObject({
      code: "rate_limit_exceeded",
      status: 429,
      details: { retryAfterSeconds: 7 },
    });
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

  it("waits a second at most for a worker that says nothing", async () => {
    const { workers } = setUp({ [one]: [() => new Promise(() => {})], [two]: [() => json(health)] });
    const startedAt = Date.now();
    expect((await workers.health()).sizes).toEqual(["base"]);
    expect(Date.now() - startedAt).toBeLessThan(2_500);
  });
});
