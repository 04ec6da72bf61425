/** The credit that one chat request sets aside: taken before its first call, raised where a further model is asked. */
import { raise, refuseReservation, reserve } from "../billing/ledger.ts";
import type { ChatInput } from "./chat-input.ts";
import type { Services } from "./services.ts";

export type Hold = {
  /** Throws insufficient_credits or DatabaseError. */
  take(amountMicro: number): Promise<void>;
  /** False if there is no such credit, or if the database does not answer. */
  raise(byMicro: number): Promise<boolean>;
};

export function openHold(
  { account, admission, holdId }: ChatInput,
  { database, now, requestRecord }: Services,
): Hold {
  const { accountId, keyId: apiKeyId, tokenId } = account;
  const describe = (amountMicro: number) => ({
    holdId,
    accountId,
    apiKeyId,
    tokenId,
    amountMicro,
    now: now(),
  });
  return {
    async take(amountMicro) {
      const { snapshot } = admission;
      const reservation = await requestRecord.time("hold", () =>
        reserve(database, { ...describe(amountMicro), snapshot }),
      );
      if (!reservation.granted) {
        admission.refuse();
        const advice = "lower max_tokens or send your own provider key";
        throw refuseReservation(amountMicro, reservation, advice);
      }
      admission.grant();
    },
    raise: (byMicro) =>
      requestRecord.time("hold", () => raise(database, describe(byMicro))).catch(() => false),
  };
}
