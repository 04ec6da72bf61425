// A plan that is read in pieces is charged as far as it was read.
import { describe, expect, test } from "vitest";
import { GatewayError } from "../../../shared/errors.ts";
import {
  createTestApp,
  eventStream,
  newCaller,
  openaiStream,
  openaiUsage,
  testPlan,
} from "../support/app.ts";
import { credit, hanging, type Options, open, sleep, streamed } from "../support/charged-stream.ts";

describe("a plan that is read in pieces", () => {
  const long = {
    ...streamed,
    messages: [{ role: "user", content: "go to the harbour and back again ".repeat(9) }],
  };
  /** micro-credits; base costs .10 for a million tokens. */
  const planned = (tokens: number, quarter = 1.25) => Math.ceil(tokens * 0.1 * quarter);
  /** Reads 30 tokens, then 100, then fails or waits until it is cut. */
  const piecewise =
    (fails: boolean, begun: () => void = () => {}): NonNullable<Options["plan"]> =>
    (_request, { signal, onProgress }) =>
      new Promise((_, reject) => {
        onProgress?.(30);
        onProgress?.(100);
        signal.addEventListener("abort", () => reject(signal.reason));
        begun();
        if (fails) setTimeout(() => reject(new GatewayError("world_model_unavailable", "gone")), 20);
      });

  test.each([
    ["the prompt waits for it", {}],
    ["the answer does not wait for it", { svc: { plan: "off" } }],
  ])("is charged as far as it was read when its caller leaves: %s", async (_how, more) => {
    const caller = await newCaller(credit);
    const leaving = new AbortController();
    const app = createTestApp({
      serves: true,
      plan: piecewise(false, () => setTimeout(() => leaving.abort(), 100)),
      provider: [hanging()],
    });
    const response = await app.chat(caller.apiKey, { ...long, ...more }, {}, leaving.signal);
    await response.body?.cancel().catch(() => {});
    await response.settled();
    const [charge, ...others] = await caller.charges();
    expect(others).toEqual([]);
    expect(charge).toMatchObject({ outcome: "client_left", planningTokens: 100 });
    expect(-charge!.amountMicro).toBeGreaterThanOrEqual(planned(100));
    expect((await caller.account())?.openHolds).toBe(0);
  });

  test("is free where it failed, also in an answer that went on without it", async () => {
    const refused = await open({ plan: piecewise(true) }, long);
    expect(refused.response.status).toBe(503);
    await refused.response.settled();
    expect(await refused.charge()).toMatchObject({ amountMicro: 0, planningTokens: 0 });

    const provider = async () => {
      await sleep(60);
      return openaiStream(["Hi"], openaiUsage(12, 2));
    };
    const served = await open(
      { plan: piecewise(true), serves: true, provider: [provider] },
      { ...long, svc: { plan: "off" } },
    );
    await served.response.text();
    await served.response.settled();
    expect(await served.charge()).toMatchObject({ outcome: "completed", planningTokens: 0 });
  });

  test("is free where the provider failed while it was made", async () => {
    const failing = () => eventStream('data: {"error":{"message":"gone","code":500}}\n\n');
    const { response, charge } = await open(
      { plan: piecewise(false), serves: true, provider: [failing] },
      { ...long, svc: { plan: "off" } },
    );
    await response.text();
    await response.settled();
    expect(await charge()).toMatchObject({ outcome: "error", planningTokens: 0 });
  });

  test("counts once when it is made", async () => {
    const plan: Options["plan"] = async (_request, { onProgress }) => {
      onProgress?.(30);
      return { ...testPlan, tokens: 90 };
    };
    const { response, charge } = await open({ plan }, long);
    await response.text();
    expect(await charge()).toMatchObject({ planningTokens: 90 });
  });
});
