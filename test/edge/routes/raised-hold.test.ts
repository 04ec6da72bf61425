// The hold is raised before a further model is asked: what may happen meanwhile.
import { expect, test } from "vitest";
import type { Database } from "../../../edge/db/client.ts";
import { DatabaseError } from "../../../edge/db/connection.ts";
import { openTestDatabase } from "../support/accounts.ts";
import { createTestApp, newCaller, openaiStream } from "../support/app.ts";
import { spend } from "../support/interleaved-scenario.ts";

const body = {
  model: "svc-x1ac-base-gpt-4o",
  models: ["svc-x1ac-base-claude-sonnet-4-5"],
  messages: [{ role: "user", content: "find me a flight to Oslo" }],
  max_tokens: 20,
};

/** Asks two models, the first of which fails after it has reported usage. `raising` stands for the statement that raises the hold. */
async function ask(raising: <Result>(raise: () => Promise<Result>, leave: () => void) => Promise<Result>) {
  const inner = openTestDatabase();
  const leaving = new AbortController();
  let raises = 0;
  const execute: Database["execute"] = async (statement, values) => {
    if (!/update holds set amount_micro/i.test(statement.text)) return inner.execute(statement, values);
    raises += 1;
    return raising(
      () => inner.execute(statement, values),
      () => leaving.abort(),
    );
  };
  const app = createTestApp({
    database: { ...inner, execute },
    provider: [spend, () => openaiStream(["Hello"])],
  });
  const caller = await newCaller(1_000_000);
  const response = await app.chat(caller.apiKey, body, {}, leaving.signal);
  await response.text();
  await response.settled();
  expect(raises).toBe(1);
  // 12 x 2.50 and 20 x 10 of the first model; 20 planning tokens at 0.10; a quarter more.
  const first = {
    executionLlm: "openai/gpt-4o",
    amountMicro: -Math.ceil((230 + 2) * 1.25),
    outputTokens: 20,
  };
  expect(await caller.charges()).toMatchObject([first]);
  expect(await caller.account()).toMatchObject({ openHolds: 0 });
  expect(app.sent).toHaveLength(1);
  return { response, events: app.logs.map(({ event }) => event), logs: app.logs };
}

test("a caller who leaves gets a row that names no model that was not asked", async () => {
  const { events } = await ask(async (raise, leave) => {
    const raised = await raise();
    leave();
    return raised;
  });
  expect(events).not.toContain("model_fallback");
});

test.each([
  ["is away", new DatabaseError("unreachable", true, "database unreachable")],
  ["lacks the migration by which holds may grow", new DatabaseError("SQLITE_CONSTRAINT", false, "refused")],
])("where the database %s the failure stands, and the log says why", async (_what, error) => {
  const { response, events, logs } = await ask(() => Promise.reject(error));
  expect(response.status).toBe(502);
  expect(events).not.toContain("model_fallback");
  expect(logs).toContainEqual(
    expect.objectContaining({ event: "hold_not_raised", error_class: "DatabaseError", code: error.code }),
  );
});
