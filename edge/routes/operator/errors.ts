/**
 * GET /v1/operator/errors: failures by kind, as this isolate has counted them since it began. On Workers many isolates run, each
 * for a while, and share no metrics. The answer says which requests it covers: there those of one isolate, under `npm start` all.
 */
import { createHandlers } from "../../middleware/context.ts";
import { isOnCloudflare } from "../../middleware/forwarded.ts";
import { noStore } from "../../middleware/no-store.ts";
import { operatorOnly } from "../../middleware/session.ts";
import { isoTime } from "../account/account-values.ts";

export const operatorErrors = createHandlers(noStore, operatorOnly, (context) => {
  const { startedAt, requests, errors } = context.var.services.telemetry.readErrors();
  return context.json({
    since: isoTime(startedAt),
    whole: !isOnCloudflare(context.req.raw),
    requests,
    data: errors,
  });
});
