// A 2xx by which no model need have been reached, such as an empty body: as free as a refusal by status, alone and before the next model.
import { describe, expect, test } from "vitest";
import { eventStream } from "../support/app.ts";
import { type Answer, ask, errorFrame, first, frames, messages, second } from "../support/ask-fallbacks.ts";

const role = { id: "gen-1", choices: [{ index: 0, delta: { role: "assistant", content: "" } }] };
const never: [string, Answer][] = [
  [
    "a page of HTML",
    () => new Response("<html>Sign in</html>", { headers: { "content-type": "text/html" } }),
  ],
  ["an empty body (204)", () => new Response(null, { status: 204 })],
  ["an empty stream", () => eventStream("")],
  ["comments alone", () => eventStream(": working\n\n")],
  ["the end alone", () => eventStream("data: [DONE]\n\n")],
  ["JSON that is no answer", () => Response.json({ detail: "Not here" })],
  ["an error that no answer came before", () => frames(errorFrame)],
];
const body = { model: first, messages, max_tokens: 50 };
/** Two micro-credits of planning, and a quarter more. */
const planningAlone = { amountMicro: -3, inputTokens: null, outputTokens: null, flag: null };

describe.each(never)("a provider's 200 with %s", (_what, answer) => {
  test.each([true, false])("costs the planning alone (stream: %s)", async (stream) => {
    const { response, charge, caller } = await ask({ "gpt-4o": answer }, { body: { ...body, stream } });
    expect(response.status).toBe(502);
    expect(charge).toMatchObject({ ...planningAlone, outcome: "error" });
    expect(await caller.account()).toMatchObject({ openHolds: 0 });
  });

  test("costs nothing beside the next model's answer", async () => {
    const { response, charge } = await ask({ "gpt-4o": answer }, { body: { ...body, models: [second] } });
    expect(response.status).toBe(200);
    // Claude Sonnet 4.5: 12 x 3 + 2 x 15; planning 2; a quarter more.
    expect(charge).toMatchObject({ amountMicro: -85, inputTokens: 12, flag: null });
    expect(charge!.prices).not.toHaveProperty("earlier");
  });
});

test.each<[string, object[]]>([
  ["its first frame", [role, errorFrame]],
  ["its first frame and no end", [role]],
  [
    "a report of its prompt",
    [{ choices: [], usage: { prompt_tokens: 40, completion_tokens: 0 } }, errorFrame],
  ],
])("an answer that failed after %s is charged its prompt", async (_what, sent) => {
  const { response, charge } = await ask({ "gpt-4o": () => frames(...sent) }, { body });
  expect(response.status).toBe(502);
  expect(charge!.inputTokens).toBeGreaterThan(0);
});
