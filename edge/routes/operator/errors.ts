/**
 * GET /v1/operator/errors: what failed, by kind, as this isolate has counted since it began. On Workers many run at a time, each
 * for a while, and share no figures: the answer says so, as it is a glimpse there and the whole of it under `npm start`.
 */
import { createFactory } from "hono/factory";
import type { EdgeEnv } from "../../middleware/context.ts";
import { isOnCloudflare } from "../../middleware/entrance.ts";
import { noStore } from "../../middleware/no-store.ts";
import { operator } from "../../middleware/operator.ts";
import { isoTime } from "../account/account-values.ts";

export const operatorErrors = createFactory<EdgeEnv>().createHandlers(noStore, operator, (context) => {
  const { startedAt, requests, errors } = context.var.services.telemetry.readErrors();
  return context.json({
    since: isoTime(startedAt),
    whole: !isOnCloudflare(context.req.raw),
    requests,
    data: errors,
  });
});
