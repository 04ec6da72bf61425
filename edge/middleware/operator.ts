/** Lets operators in, by a session only: an API key leaks more easily than a cookie, and must not be worth so much. */
import { GatewayError } from "../../shared/errors.ts";
import type { EdgeMiddleware } from "./context.ts";
import { requireSession } from "./session.ts";

export const operator: EdgeMiddleware = async (context, next) => {
  const session = await requireSession(context);
  if (session === undefined)
    throw new GatewayError("sign_in_failed", "Use the sign-in page first; API keys do not open this.");
  const { account, isOperator } = session;
  context.var.logFields.account_id = account.accountId;
  if (!isOperator || account.suspended) {
    const message =
      "This is for operators: ask one to run npm run admin -- account operator for your account.";
    throw new GatewayError("permission_denied", message);
  }
  context.set("account", account);
  await next();
};
