/**
 * GET /metrics of a self-hosted edge: for its operator alone. With METRICS_TOKEN only its bearer may read; without,
 * only requests that come directly from this machine. On Workers there is nothing here: isolates share no metrics.
 */
import { GatewayError } from "../../shared/errors.ts";
import { metricsContentType } from "../../shared/prometheus.ts";
import { readOverdue } from "../db/overdue-rows.ts";
import { deadAfterMs } from "../db/schema.ts";
import { isLoopback } from "../env.ts";
import { expiringRows } from "../expiring-rows.ts";
import { createHandlers } from "../middleware/context.ts";
import { isOnCloudflare } from "../middleware/forwarded.ts";
import type { Services } from "../pipeline/services.ts";
import type { EdgeReading } from "../telemetry/metrics.ts";

/** Any of these headers shows that the request came through a proxy, or from a web page in the operator's browser. */
const signsOfOthers = [
  "x-forwarded-for",
  "x-forwarded-proto",
  "forwarded",
  "via",
  "origin",
  "sec-fetch-site",
];

/** With another host name, a web page may have made its own name resolve to this machine (DNS rebinding). */
const cameDirectly = ({ headers, url }: Request): boolean =>
  isLoopback(new URL(url)) && signsOfOthers.every((name) => !headers.has(name));

const encoder = new TextEncoder();
const digest = (text: string): Promise<ArrayBuffer> => crypto.subtle.digest("SHA-256", encoder.encode(text));

/** Compares in constant time. */
async function carriesToken({ headers }: Request, token: string): Promise<boolean> {
  const given = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  return crypto.subtle.timingSafeEqual(await digest(given), await digest(token));
}

/** How long the sweep leaves each kind of row after its time. */
const { answers, hits, tokens, sessions, codes } = expiringRows;
const sweptAfterMs = {
  holds: deadAfterMs,
  answers: answers.keptMs,
  hits: hits.keptMs,
  tokens: tokens.keptMs,
  sessions: sessions.keptMs,
  codes: codes.keptMs,
};

/** A database that hangs is waited for this long: some collectors wait for a page only a few seconds. */
const databaseMs = 1_000;

/** None while the database does not answer, which must not keep the other figures from being read. */
async function readSweep({ database, now, sleep }: Services): Promise<EdgeReading[]> {
  const read = readOverdue(database, sweptAfterMs, now()).catch(() => []);
  const overdue = await Promise.race([read, sleep(databaseMs).then(() => [])]);
  return overdue.map(([rows, overdueMs]) => ({
    name: "svc_edge_sweep_late_seconds",
    labels: { rows },
    value: overdueMs / 1000,
  }));
}

export const metrics = createHandlers(async (context) => {
  const { services } = context.var;
  const { telemetry, config } = services;
  const request = context.req.raw;
  const { metricsToken } = config;
  const isHidden = isOnCloudflare(request) || (metricsToken === undefined && !cameDirectly(request));
  if (isHidden) throw new GatewayError("not_found", "There is nothing at this path for you.");
  if (metricsToken !== undefined && !(await carriesToken(request, metricsToken))) {
    throw new GatewayError(
      "invalid_api_key",
      "Send the operator's METRICS_TOKEN as 'Authorization: Bearer ...'.",
    );
  }
  return context.body(telemetry.render(await readSweep(services)), 200, {
    "content-type": metricsContentType,
    "cache-control": "no-store",
  });
});
