/**
 * The life of a request that only the world model serves (embeddings, rollout): reserve -> run -> settle.
 * No provider and no markup: charged by the tokens the encoder read, also for a caller who left before the end.
 */
import { toCredits } from "../../shared/credits.ts";
import { GatewayError } from "../../shared/errors.ts";
import type { TaskName, TaskRequest, TaskResponse } from "../../shared/worker-tasks.ts";
import { refuseReservation, takeHold } from "../billing/hold.ts";
import { type Settlement, settle } from "../billing/ledger.ts";
import { chargeMicro, holdMicro, priceOfSize } from "../billing/price.ts";
import type { Account } from "../db/api-keys.ts";
import type { Services } from "./services.ts";

export type WorldModelInput<Name extends TaskName> = {
  task: Name;
  request: TaskRequest<Name>;
  /** Upper bound of the tokens that the request can have. */
  tokenBound: number;
  /** The model name in the ledger row. */
  model: string;
  account: Account;
  requestId: string;
  /** Id of the hold: made by us, new for each run of a request. */
  holdId: string;
  clientSignal: AbortSignal;
  /** Called with the charge, also when the task failed and the caller was charged for it. */
  onCharged: (micro: number) => void;
};

/**
 * A worker finds a text too long when its turn to be encoded comes, after others of the request. If the request were free then, a
 * caller could occupy a worker for nothing; the same holds for a caller who leaves early.
 */
const isCallersFault = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === "request_too_large";

/**
 * Throws GatewayError. A failed task is free, unless its caller left or caused the failure: then the tokens read so far are
 * charged.
 */
export async function runWorldModel<Name extends TaskName>(
  input: WorldModelInput<Name>,
  services: Services,
): Promise<TaskResponse<Name>> {
  const { account, requestId, tokenBound, holdId } = input;
  const { database, now, requestRecord } = services;
  const priceMicroPerMillion = priceOfSize(input.request.size);
  const owner = { holdId, accountId: account.accountId, apiKeyId: account.keyId };
  const amountMicro = holdMicro({ planning: { tokenBound, priceMicroPerMillion }, markup: 0 });
  const hold = { ...owner, tokenId: account.tokenId, amountMicro, now: now() };
  const reservation = await requestRecord.time("hold", () => takeHold(hold, services));
  if (!reservation.granted) throw refuseReservation(amountMicro, reservation, ["send less text"]);
  const close = async (tokens: number, outcome: Settlement["outcome"]) => {
    const charge = chargeMicro({ planning: { tokens, priceMicroPerMillion }, markup: 0 });
    const settlement: Settlement = {
      ...owner,
      requestId,
      chargeMicro: charge,
      model: input.model,
      markup: 0,
      planningTokens: tokens,
      prices: { planningMicroPerMillion: priceMicroPerMillion },
      outcome,
      now: now(),
    };
    await requestRecord.time("settle", () => settle(database, settlement));
    requestRecord.settled = { outcome, charged: toCredits(charge), planningTokens: tokens };
    return charge;
  };
  let done = 0;
  try {
    const given = await services.gpuWorkers.run(input.task, input.request, {
      signal: input.clientSignal,
      requestId,
      accountId: account.accountId,
      onProgress: (tokens) => {
        done = tokens;
      },
    });
    // The caller is shown the count that is charged.
    const answer = { ...given, tokens: Math.min(given.tokens, tokenBound) };
    input.onCharged(await close(answer.tokens, "completed"));
    return answer;
  } catch (error) {
    const left = input.clientSignal.aborted;
    const owed = left || isCallersFault(error) ? Math.min(done, tokenBound) : 0;
    const chargedMicro = await close(owed, left ? "client_left" : "error");
    if (chargedMicro > 0) input.onCharged(chargedMicro);
    throw error;
  }
}
