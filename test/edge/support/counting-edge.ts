/** An edge that counts its round trips to the database and remembers who was admitted. */
import type { Database } from "../../../edge/db/client.ts";
import { DatabaseError } from "../../../edge/db/connection.ts";
import { sealAndStore } from "../../../edge/vault/provider-keys.ts";
import { openTestDatabase } from "./accounts.ts";
import { createTestApp, createTestVault, type newCaller, type TestAppOptions } from "./app.ts";

export const hello = {
  model: "svc-x1ac-base-gpt-4o",
  messages: [{ role: "user", content: "go" }],
  max_tokens: 20,
};
export const database = openTestDatabase();
const vault = createTestVault();
export type Caller = Awaited<ReturnType<typeof newCaller>>;

/** An edge that counts its round trips, and whose next ones can be looked at. */
export function createEdge(options: TestAppOptions = {}) {
  const counts = { trips: 0 };
  /** What the database does from now on: answers late, or not at all. */
  const state = { isSlow: false, isAway: false };
  const away = new DatabaseError("timeout", true, "database timeout");
  const counted: Database = {
    execute: (statement, values) => {
      counts.trips += 1;
      return state.isAway ? Promise.reject(away) : database.execute(statement, values);
    },
    batch: (statements, values) => {
      counts.trips += 1;
      return state.isAway ? Promise.reject(away) : database.batch(statements, values);
    },
    isSlow: () => state.isSlow,
  };
  const app = createTestApp({ database: counted, ...options });
  /** The round trips a request took until it was answered and settled, its status, and the key its provider was asked with. */
  const use = async (
    caller: { apiKey: string },
    body: object = hello,
    headers: Record<string, string> = {},
  ) => {
    const before = counts.trips;
    const asked = app.sent.length;
    const answer = await app.chat(caller.apiKey, body, headers);
    const { error } = await answer.json<{ error?: { code: string } }>();
    await answer.settled();
    const key = app.sent[asked]?.headers.get("authorization") ?? undefined;
    return { status: answer.status, code: error?.code, key, trips: counts.trips - before };
  };
  return { ...app, use, state };
}
export const storeKey = ({ accountId }: Caller, key: string) =>
  sealAndStore(database, vault, { accountId, keys: { alpha: key }, now: Date.now() });
export const poolKey = "Bearer pool-canary-key";

export const past = Date.now() - 1_000;
