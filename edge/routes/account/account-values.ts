/** Values that several of the account's endpoints read and write: credits, times, lists of models. */
import { z } from "zod";
import { maxCredits, microPerCredit, toMicro } from "../../../shared/credits.ts";
import { GatewayError } from "../../../shared/errors.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { EdgeContext } from "../../middleware/context.ts";
import { describeIssues } from "../../middleware/describe-issues.ts";
import { canonicalModelName } from "../../middleware/permit-models.ts";

const maxModels = 100;

/** Credits on the wire, at most 6 decimals. */
export const Credits = z
  .number()
  .min(0)
  .max(maxCredits)
  .refine((amount) => Math.abs(amount * microPerCredit - toMicro(amount)) < 0.001, {
    error: "has at most 6 decimals",
  });

/** Names of models, in the form that GET /v1/models lists. */
export const ModelNames = z.array(z.string().min(1).max(300)).min(1).max(maxModels);

export const isoTime = (time: number | null): string | null =>
  time === null ? null : new Date(time).toISOString();

/** Throws invalid_request, which says what to change. */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  whole: "body" | "query" = "body",
): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [first = "unknown"] = describeIssues(parsed.error);
  throw new GatewayError(
    "invalid_request",
    `Change this and send it again: ${first.replace(/^body(?=: )/, whole)}`,
  );
}

/** As `readBody`, for the query string. */
export const readQuery = <Schema extends z.ZodType>(schema: Schema, { req }: EdgeContext): z.infer<Schema> =>
  readBody(schema, req.query(), "query");

/** The models' own names, each once. Throws invalid_request for one that does not exist. */
export function readModelNames(names: readonly string[], catalog: Catalog): string[] {
  const canonical = names.map((name, index) => {
    const known = canonicalModelName(name, catalog);
    if (known !== undefined) return known;
    throw new GatewayError(
      "invalid_request",
      `models.${index} is no model of this service: ${JSON.stringify(name.slice(0, 80))}; GET /v1/models lists every name.`,
    );
  });
  return [...new Set(canonical)];
}
