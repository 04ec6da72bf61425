/** Every answer carries `x-request-id`: the caller's own where it is a sane token, else a fresh one. */
import type { EdgeMiddleware } from "./context.ts";

/** Safe in a header and in a log line; long enough for a UUID with a prefix. */
const saneToken = /^[\w.:-]{1,128}$/;
/** A key in the wrong header must not be logged as an id. */
const keyLike = /^(svc_sk_|sk-|AIza)/;

export const requestId =
  (randomId: () => string): EdgeMiddleware =>
  async (context, next) => {
    const given = context.req.header("x-request-id");
    const id =
      given !== undefined && saneToken.test(given) && !keyLike.test(given) ? given : `req_${randomId()}`;
    context.set("requestId", id);
    context.set("logFields", {});
    context.header("x-request-id", id);
    await next();
  };
