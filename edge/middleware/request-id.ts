/** Every answer carries `x-request-id`: the caller's own where it is a sane token, else a fresh one. */
import { maskKeys } from "../../shared/mask-keys.ts";
import type { EdgeMiddleware } from "./context.ts";

/** Safe in a header and in a log line; long enough for a UUID with a prefix. */
const saneToken = /^[\w.:-]{1,128}$/;
/** Nor may it be a key in the wrong header, which would be logged. */
const isSane = (id: string): boolean => saneToken.test(id) && maskKeys(id) === id;

export const requestId =
  (randomId: () => string): EdgeMiddleware =>
  async (context, next) => {
    const given = context.req.header("x-request-id");
    const id = given !== undefined && isSane(given) ? given : `req_${randomId()}`;
    context.set("requestId", id);
    context.set("logFields", {});
    context.header("x-request-id", id);
    await next();
  };
