import { describe, expect, it } from "vitest";
import { busy, cut, failureOf, one, plan, planned, refused, setUp, two } from "../support/gpu-fleet.ts";

/** The same numbers in each run (Park and Miller 1988). */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

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
