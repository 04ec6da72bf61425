// What is kept of an answer for its retry.
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { build, prepare } from "../../../edge/db/client.ts";
import { openaiStream, openaiUsage } from "../support/app.ts";
import { hello, newClient } from "../support/retrying-client.ts";

describe("what is kept", () => {
  test("is sealed: neither prompt, answer nor key can be read in the database", async () => {
    const { text, database, caller } = await newClient({
      provider: [() => openaiStream(["answer-canary"], openaiUsage(1, 1))],
    });
    await text("key-canary");
    const rows = await database.execute(
      prepare(build.all(sql`SELECT * FROM stored_answers WHERE account_id = ${caller.accountId}`)),
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/canary/);
  });

  test("copied under another account does not open", async () => {
    const [one, two] = [await newClient(), await newClient()];
    await one.text("k");
    await two.text("k");
    const steal = sql`UPDATE stored_answers SET (answer, hold_id) = (
      SELECT answer, hold_id FROM stored_answers WHERE account_id = ${one.caller.accountId})
      WHERE account_id = ${two.caller.accountId}`;
    await one.database.execute(prepare(build.run(steal)));
    const refused = await two.text("k");
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("idempotency_answer_lost");
  });

  test("has an end: an answer over 4 MiB is given once and charged once", async () => {
    const piece = "x".repeat(64 * 1024);
    const { text, sent, caller } = await newClient({
      provider: [
        () =>
          openaiStream(
            Array.from({ length: 70 }, () => piece),
            openaiUsage(1, 50),
          ),
      ],
    });
    const first = await text("k", { ...hello, stream: true });
    expect(first.text.length).toBeGreaterThan(4 * 1024 * 1024);
    const second = await text("k", { ...hello, stream: true });
    expect(second.status).toBe(409);
    expect(second.text).toContain("idempotency_answer_lost");
    expect(sent).toHaveLength(1);
    expect(await caller.charges()).toHaveLength(1);
  });
});
