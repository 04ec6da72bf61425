/**
 * Work of which one account runs only a few at once, because it occupies what all accounts share: the isolate's only thread, or one of
 * the database's two connections for reads.
 */
import { GatewayError } from "../../shared/errors.ts";
import type { Turn } from "../admission/turns.ts";
import type { EdgeContext, EdgeMiddleware } from "./context.ts";

const works = {
  /** Parsing and checking a large body, or one of many values: .1 s of the thread for 24,000 short parts. */
  parse: { atOnce: 1, lastsMs: 5_000 },
  /** Reading a list that the account has made long: .1 s of one connection. The other is left to everybody else. */
  list: { atOnce: 1, lastsMs: 10_000 },
};

const patienceMs = 30_000;
const retryAfterSeconds = 5;

/** Throws `service_busy` if others of the account have the turns for too long. */
async function takeTurn(context: EdgeContext, work: keyof typeof works): Promise<Turn> {
  const services = context.get("services");
  const account = context.get("account");
  const wanted = { name: `${work} ${account.accountId}`, ...works[work] };
  const turn = await services.turns.take(wanted, patienceMs, services);
  if (turn !== undefined) return turn;
  throw new GatewayError(
    "service_busy",
    "Other requests of this account are at the same work; send fewer at once.",
    { retryAfterSeconds },
    `turns-${work}`,
  );
}

/**
 * The turn at parsing and checking a body. It ends when the thread is free again: both run without a pause, except where something is
 * awaited between them (the claim of an Idempotency-Key, earlier items of a response).
 */
export async function takeParseTurn(context: EdgeContext): Promise<void> {
  const services = context.get("services");
  const turn = await takeTurn(context, "parse");
  services.waitUntil(services.sleep(0).then(turn.end));
}

/** For a route that reads such a list. Put it after `authenticate`. */
export const listTurn: EdgeMiddleware = async (context, next) => {
  const turn = await takeTurn(context, "list");
  // When the caller leaves, the database reads on, so the turn must last as long. Without `waitUntil` the runtime would stop the request,
  // and the turn would not be ended.
  const work = next().finally(turn.end);
  context.get("services").waitUntil(work.catch(() => {}));
  await work;
};
