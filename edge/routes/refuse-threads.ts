/**
 * Anthropic's clients can have the provider hold a conversation and send only what is new (`thread`). Planning
 * and other providers need all of it, so threads are refused in the way those clients go on from: they send
 * the whole conversation, by themselves or as their caller decides.
 */
import { GatewayError } from "../../shared/errors.ts";
import type { EdgeMiddleware } from "../middleware/context.ts";

export const refuseThreads: EdgeMiddleware = async (context, next) => {
  const { body } = context.var;
  if (typeof body === "object" && body !== null && "thread" in body && body.thread != null) {
    throw new GatewayError(
      "invalid_request",
      "This service holds no message threads: send the whole conversation in messages, without thread.",
      {
        instructions: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
        param: "thread",
      },
    );
  }
  await next();
};
