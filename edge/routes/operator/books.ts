/** GET /v1/operator/books: what the pool's callers were charged beside what the aggregator took, by day and model. */
import { z } from "zod";
import { describeDay, losesMoney, reconcile } from "../../billing/reconcile.ts";
import { createHandlers } from "../../middleware/context.ts";
import { noStore } from "../../middleware/no-store.ts";
import { operatorOnly } from "../../middleware/session.ts";
import { readQuery } from "../account/account-values.ts";

const dayMs = 86_400_000;
const BooksQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(366).default(30) });

export const operatorBooks = createHandlers(noStore, operatorOnly, async (context) => {
  const { services } = context.var;
  const { days } = readQuery(BooksQuery, context);
  const found = await reconcile(services.database, services.now() - days * dayMs);
  return context.json({
    ok: !found.some(losesMoney),
    days: found.map(describeDay),
  });
});
