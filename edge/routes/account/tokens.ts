/**
 * POST /v1/account/tokens: a short-lived token for code that must not hold an API key, such as a page in a browser.
 * It may do less than its key, never more, and ends when its key does, or the session it was made in.
 */
import { z } from "zod";
import { toMicro } from "../../../shared/credits.ts";
import { createAccessToken, hashApiKey } from "../../api-key.ts";
import { addAccessToken, tokenEndpoints } from "../../db/access-tokens.ts";
import { authenticate } from "../../middleware/authenticate.ts";
import { createHandlers } from "../../middleware/context.ts";
import { noStore } from "../../middleware/no-store.ts";
import { countHits, type Rate, rateLimit } from "../../middleware/rate-limit.ts";
import { jsonBody, validateJson } from "../../middleware/request-body.ts";
import { Credits, isoTime, ModelNames, readModelNames } from "./account-values.ts";

const rate: Rate = { name: "tokens", limit: 600 };
/** A token is free to make, and a list of models takes most of its room in the database: so many of them count as one more token. */
const modelsPerHit = 10;

/** Unknown fields are refused: a misspelt limit must not appear to be set. */
export const NewTokenBody = z.strictObject({
  ttl_seconds: z.int().min(60).max(3600).default(600),
  endpoints: z
    .array(z.enum(tokenEndpoints))
    .min(1)
    .default([...tokenEndpoints]),
  models: ModelNames.nullish(),
  max_credits: Credits.nullish(),
});

export const tokens = createHandlers(
  authenticate,
  noStore,
  rateLimit(rate),
  jsonBody,
  validateJson(NewTokenBody),
  async (context) => {
    const { services, account } = context.var;
    const body = context.req.valid("json");
    const hits = Math.floor((body.models?.length ?? 0) / modelsPerHit);
    if (hits > 0) await countHits(context, rate, hits);
    const now = services.now();
    // A whole second, as in the token itself.
    const asked = Math.floor(now / 1000 + body.ttl_seconds) * 1000;
    const expiresAt = Math.min(asked, account.expiresAt ?? asked);
    const token = createAccessToken(services.randomBytes(32), expiresAt);
    await addAccessToken(services.database, {
      tokenId: `tok_${services.randomId()}`,
      keyId: account.keyId,
      sessionId: account.sessionId,
      hash: await hashApiKey(token),
      endpoints: [...new Set(body.endpoints)],
      models: body.models == null ? null : readModelNames(body.models, await services.catalog()),
      maxMicro: body.max_credits == null ? null : toMicro(body.max_credits),
      now,
      expiresAt,
    });
    return context.json({ token, expires_at: isoTime(expiresAt) }, 201);
  },
);
