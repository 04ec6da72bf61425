/** GET /v1/account/balance: the credits an account has, which is the sum of its ledger. */
import { toCredits } from "../../../shared/credits.ts";
import { GatewayError } from "../../../shared/errors.ts";
import { readAccount } from "../../db/accounts.ts";
import { authenticateBareKey } from "../../middleware/authenticate.ts";
import { createHandlers } from "../../middleware/context.ts";
import { rateLimit } from "../../middleware/rate-limit.ts";

const requestsPerMinute = 100;

export const balance = createHandlers(
  authenticateBareKey,
  rateLimit({ name: "balance", limit: requestsPerMinute }),
  async (context) => {
    const { services, account } = context.var;
    const found = await readAccount(services.database, account.accountId);
    if (found === undefined) throw new GatewayError("internal_error", "This account cannot be read; retry.");
    context.header("cache-control", "no-store");
    return context.json({
      balance: toCredits(found.balanceMicro),
      account_id: found.accountId,
      email: found.email,
    });
  },
);
