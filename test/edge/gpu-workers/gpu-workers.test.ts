import { describe, expect, it } from "vitest";
import type { Fetch } from "../../../edge/gpu-workers/call-worker.ts";
import { createGpuWorkers } from "../../../edge/gpu-workers/gpu-workers.ts";
import { errorTable } from "../../../shared/errors.ts";
import { createReplayGuard } from "../../../shared/replay-guard.ts";
import { createVerifier, workerAudience } from "../../../shared/signature.ts";
import type { WorkerHealth } from "../../../shared/worker-health.ts";
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
