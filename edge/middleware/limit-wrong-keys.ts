/** Refuses (429) provider keys of an API key of which providers have refused too many. After `authenticate`, where provider keys are used. */
import { GatewayError } from "../../shared/errors.ts";
import { sha256Hex } from "../../shared/hex.ts";
import { maxWrongKeys } from "../admission/wrong-keys.ts";
import { readInlineKeys } from "../providers/registry.ts";
import type { EdgeMiddleware } from "./context.ts";

export const limitWrongKeys: EdgeMiddleware = async (context, next) => {
  const keys = Object.values(readInlineKeys(context.req.raw.headers));
  if (keys.length === 0) return next();
  const { services, account } = context.var;
  const { wrongKeys, now } = services;
  const sent = await sha256Hex(keys.join(" "));
  const retryAfterSeconds = wrongKeys.wait(account.keyId, sent, now());
  if (retryAfterSeconds !== undefined) {
    const message = `Providers refused ${maxWrongKeys} requests within a minute for their provider keys, sent with this API key; check the keys, and send one again in ${retryAfterSeconds} s.`;
    throw new GatewayError("rate_limit_exceeded", message, { retryAfterSeconds }, "wrong-keys");
  }
  await next();
  const { error } = context;
  if (error instanceof GatewayError && error.code === "invalid_provider_key")
    wrongKeys.add(account.keyId, sent, now());
};
