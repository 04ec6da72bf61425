/** The credit that one chat request sets aside: taken before its first call, raised where a further model is asked. */
import { raise, refuseReservation, reserve } from "../billing/ledger.ts";
import { DatabaseError } from "../db/client.ts";
import type { ChatInput } from "./chat-input.ts";
import type { Services } from "./services.ts";

export type Hold = {
  /** Throws insufficient_credits or DatabaseError. */
  take(amountMicro: number): Promise<void>;
  /** False if there is no such credit; also, with a line in the log, if the database does not answer or refuses the statement. */
  raise(byMicro: number): Promise<boolean>;
};

export function openHold(
  { account, admission, holdId, requestId }: ChatInput,
  { database, log, now, requestRecord }: Services,
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
      requestRecord
        .time("hold", () => raise(database, describe(byMicro)))
        .catch((error: Error) => {
          // Without a line, a database without migration 0017 would only be seen by fallbacks that never happen.
          const code = error instanceof DatabaseError ? error.code : undefined;
          log({
            level: "error",
            event: "hold_not_raised",
            request_id: requestId,
            error_class: error.name,
            code,
          });
          return false;
        }),
  };
}
