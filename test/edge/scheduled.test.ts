import { expect, test } from "vitest";
import { sweep } from "../../edge/scheduled.ts";
import { databaseUrl } from "./support/database-url.ts";

/** Long before anything in the shared database: nothing of it has expired. */
const now = () => 1;

const tables = ["stored_answers", "rate_hits", "access_tokens", "sessions", "sign_in_codes"];

test.each([
  ["ending holds", /\bholds\b/],
  ["deleting kept answers", /DELETE FROM stored_answers/],
  ["deleting sessions", /DELETE FROM sessions/i],
])("where %s fails the sweep deletes the rest all the same, and says that it failed", async (_, failing) => {
  const reached = new Set<string>();
  const failingFetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const text = await request.clone().text();
    for (const table of tables) if (text.includes(table)) reached.add(table);
    return failing.test(text) ? new Response("disk I/O error", { status: 500 }) : fetch(request);
  };
  await expect(sweep({ database: { url: databaseUrl }, fetch: failingFetch, now })).rejects.toThrow();
  expect([...reached]).toEqual(tables);
});
