// Changes to a remembered caller in any order, at two edges.
import fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { setSuspended } from "../../../edge/db/accounts.ts";
import { changeApiKey, revokeApiKey } from "../../../edge/db/api-keys.ts";
import { deleteKeys } from "../../../edge/db/provider-keys.ts";
import { newCaller } from "../support/app.ts";
import { type Caller, createEdge, database, past, poolKey, storeKey } from "../support/counting-edge.ts";

// What a key and its account are, and what a request of it must therefore meet, after any changes in any order.
type State = { revoked: boolean; suspended: boolean; otherModels: boolean; stored: number };
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("use" as const), edge: fc.nat({ max: 1 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("store", "forget", "models", "suspend", "revoke"),
      /** A request of the same moment, which may meet either state. */
      beside: fc.option(fc.nat({ max: 1 })),
    }),
  },
);

const doTo: Record<string, (caller: Caller, state: State) => Promise<unknown>> = {
  store: (caller, state) => storeKey(caller, `sk-${++state.stored}`),
  forget: ({ accountId }, state) => {
    state.stored = -Math.abs(state.stored);
    return deleteKeys(database, { accountId });
  },
  models: (caller, state) => {
    state.otherModels = !state.otherModels;
    return changeApiKey(database, caller, {
      models: state.otherModels ? ["svc-x1ac-base-gpt-4o-mini"] : null,
    });
  },
  suspend: ({ accountId }, state) => {
    state.suspended = !state.suspended;
    return setSuspended(database, accountId, state.suspended ? past : null);
  },
  revoke: ({ keyId }, state) => {
    state.revoked = true;
    return revokeApiKey(database, keyId, past);
  },
};

function expected({ revoked, suspended, otherModels, stored }: State) {
  if (revoked) return { status: 401, code: "invalid_api_key" };
  if (suspended) return { status: 403, code: "account_suspended" };
  if (otherModels) return { status: 403, code: "permission_denied" };
  return { status: 200, key: stored > 0 ? `Bearer sk-${stored}` : poolKey };
}

describe("revoking, changing and using", () => {
  const [runs, seed] = [inject("propertyRuns"), inject("propertySeed")];
  test(
    `in any order, at two edges: each request meets what is true when it comes (${runs} runs, seed ${seed})`,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
          const caller = await newCaller(1_000_000);
          const edges = [createEdge(), createEdge()];
          const state: State = { revoked: false, suspended: false, otherModels: false, stored: 0 };
          for (const one of steps) {
            if (one.do === "use") {
              expect(await edges[one.edge]!.use(caller)).toMatchObject(expected(state));
              continue;
            }
            if (one.do === "store" && state.stored < 0) state.stored = -state.stored;
            const beside = one.beside === null ? undefined : edges[one.beside]!.use(caller);
            await doTo[one.do]!(caller, state);
            expect([200, 401, 403]).toContain((await beside)?.status ?? 200);
          }
          for (const { use } of edges) expect(await use(caller)).toMatchObject(expected(state));
        }),
        { numRuns: runs, seed },
      );
    },
    60_000 + runs * 500,
  );
});
