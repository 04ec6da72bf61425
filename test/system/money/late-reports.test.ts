// Over real sockets: who leaves during hidden reasoning pays for it once the aggregator has recorded the usage, although the
// connection and the request have ended long before.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, readDeltas, startGateway } from "../../support/gateway.ts";

const body = {
  model: "svc-x1ac-base-vendor/thinker",
  messages: [{ role: "user", content: "find me a flight to Oslo" }],
  max_tokens: 4_000,
  stream: true,
};
const native = { native_tokens_prompt: 11, native_tokens_completion: 1_500, native_tokens_reasoning: 1_490 };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

test("leaving after the first words is charged with what was thought", async () => {
  const { provider } = gateway;
  provider.respond("router", { text: "a few words and no more of them", hangAfter: 4 });
  provider.respond("router", [{ status: 404 }, { json: { data: native } }], "generation");
  const caller = await gateway.newCaller(1_000_000_000);
  const leaving = new AbortController();
  const response = await caller.chat(body, { signal: leaving.signal });
  expect(response.status).toBe(200);
  // The first bytes may be the plan alone, before the aggregator has told the id under which it keeps its record.
  await readDeltas(response, 1);
  leaving.abort();
  await caller.untilSettled();
  const [charge] = await caller.charges();
  expect(charge).toMatchObject({ inputTokens: 11, outputTokens: 1_500, reasoningTokens: 1_490, flag: null });
  const asked = provider.requests.filter(({ endpoint }) => endpoint === "generation");
  expect(asked).toHaveLength(2);
  expect(await gateway.checkLedger()).toMatchObject({ ok: true });
});
