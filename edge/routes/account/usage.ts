/** GET /v1/account/usage: what the account used in a range of days (UTC), by day, model or key. */
import { z } from "zod";
import { toCredits } from "../../../shared/credits.ts";
import { GatewayError } from "../../../shared/errors.ts";
import { maxUsageRows, readUsage } from "../../db/usage.ts";
import { authenticate } from "../../middleware/authenticate.ts";
import { createHandlers } from "../../middleware/context.ts";
import { noStore } from "../../middleware/no-store.ts";
import { listTurn } from "../../middleware/take-turn.ts";
import { readQuery } from "./account-values.ts";

const dayMs = 86_400_000;
const maxDays = 366;
const defaultDays = 30;

const Day = z.iso.date("must be a day such as 2026-11-30").optional();
const UsageQuery = z.strictObject({
  from: Day,
  to: Day,
  group_by: z.enum(["day", "model", "key"]).default("day"),
});

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Both days are included. Without them: the last 30 days, up to today. Throws invalid_request. */
function readDays(
  asked: { from?: string | undefined; to?: string | undefined },
  now: number,
): { from: string; to: string } {
  const to = asked.to ?? dayOf(now);
  const from = asked.from ?? dayOf(Date.parse(to) - (defaultDays - 1) * dayMs);
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  if (days < 1) throw new GatewayError("invalid_request", "from is after to.");
  if (days > maxDays)
    throw new GatewayError("invalid_request", `Ask for ${maxDays} days at most; this range has ${days}.`);
  return { from, to };
}

export const usage = createHandlers(authenticate, noStore, listTurn, async (context) => {
  const { services, account } = context.var;
  const query = readQuery(UsageQuery, context);
  const range = readDays(query, services.now());
  const rows = await readUsage(services.database, {
    accountId: account.accountId,
    ...range,
    groupBy: query.group_by,
  });
  if (rows === undefined) {
    const many = maxUsageRows.toLocaleString("en");
    throw new GatewayError(
      "invalid_request",
      `This range has over ${many} sums, one for each day, key and model: ask for fewer days.`,
    );
  }
  return context.json({
    object: "list",
    ...range,
    group_by: query.group_by,
    data: rows.map((row) => ({
      group: row.group,
      requests: row.requests,
      prompt_tokens: row.promptTokens,
      completion_tokens: row.completionTokens,
      planning_tokens: row.planningTokens,
      credits: toCredits(row.spentMicro),
    })),
  });
});
