/**
 * The life of a request that only the world model serves (embeddings, rollout): reserve -> run -> settle.
 * No provider and no markup: charged by the tokens the encoder read, also for a caller who left before the end.
 */
import { GatewayError } from "../../shared/errors.ts";
import type { TaskName, TaskRequest, TaskResponse } from "../../shared/worker-tasks.ts";
import { refuseReservation, reserve, type Settlement, settle } from "../billing/ledger.ts";
import { chargeMicro, credits, holdMicro, priceOfSize } from "../billing/price.ts";
import type { Account } from "../db/api-keys.ts";
import type { Services } from "./services.ts";

export type WorldModelInput<Name extends TaskName> = {
  task: Name;
  request: TaskRequest<Name>;
  /** No tokenizer of ours makes more tokens of the request than this. */
  tokenBound: number;
  /** What the ledger calls it. */
  model: string;
  account: Account;
  requestId: string;
  /** What this request reserves under: ours, and new for each run. */
  holdId: string;
  clientSignal: AbortSignal;
  /** Called with the charge of a task that was done, or that failed by its caller's fault. */
  onCharged: (micro: number) => void;
};

/**
 * A text that is too long, found after others were encoded (a guess of their lengths orders them): a request made so would
 * keep the worker busy for nothing, as leaving would.
 */
const isCallersFault = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === "request_too_large";

/** Throws GatewayError. A task that fails costs nothing; where its caller left or is at fault, the tokens read by then. */
export async function runWorldModel<Name extends TaskName>(
  input: WorldModelInput<Name>,
  services: Services,
): Promise<TaskResponse<Name>> {
  const { account, requestId, tokenBound, holdId } = input;
  const { database, now, watch } = services;
  const priceMicroPerMillion = priceOfSize(input.request.size);
  const owner = { holdId, accountId: account.accountId, apiKeyId: account.keyId };
  const amountMicro = holdMicro({ planning: { tokenBound, priceMicroPerMillion }, markup: 0 });
  const hold = { ...owner, tokenId: account.tokenId, amountMicro, now: now() };
  const reservation = await watch.time("hold", () => reserve(database, hold));
  if (!reservation.granted) throw refuseReservation(amountMicro, reservation, "send less text");
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
    await watch.time("settle", () => settle(database, settlement));
    watch.settled = { outcome, charged: credits(charge), planningTokens: tokens };
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
    // The caller reads the count that is charged.
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
