/** Admits operators, by a console session only. */
import { GatewayError } from "../../shared/errors.ts";
import type { EdgeMiddleware } from "./context.ts";
import { requireSession } from "./session.ts";

export const operatorOnly: EdgeMiddleware = async (context, next) => {
  const { account, isOperator } = await requireSession(context);
  if (!isOperator || account.suspended) {
    const message =
      "This is for operators: ask one to run npm run admin -- account operator for your account.";
    throw new GatewayError("permission_denied", message);
  }
  context.set("account", account);
  await next();
};
