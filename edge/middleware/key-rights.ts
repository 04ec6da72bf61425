/** Refuses (403) API keys that may not do what a route does, though the key itself is valid. Put it after `authenticate`. */
import { GatewayError } from "../../shared/errors.ts";
import type { EdgeMiddleware } from "./context.ts";

/**
 * A key with limits may not change the account's provider keys, which all its keys use. Otherwise a leaked key
 * with a budget of cents could redirect the account's other prompts to a provider account of the finder's.
 */
export const requireUnlimited: EdgeMiddleware = async (context, next) => {
  const { limited, manage } = context.get("account");
  if (limited && !manage) {
    throw new GatewayError(
      "permission_denied",
      "An API key with an end, a budget or a list of models may not change the account's provider keys; " +
        "use one without limits, one that was made with --manage, or the console.",
    );
  }
  await next();
};

/** Refuses an API key that was not made with `manage`. */
export const requireManage: EdgeMiddleware = async (context, next) => {
  if (!context.get("account").manage) {
    throw new GatewayError(
      "permission_denied",
      "This API key may not manage keys; use one that was made with --manage, or the console.",
    );
  }
  await next();
};
