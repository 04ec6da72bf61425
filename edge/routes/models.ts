/** GET /v1/models: the catalogue's list, built once per catalogue, with an ETag. */
import { createFactory } from "hono/factory";
import { authenticate } from "../middleware/authenticate.ts";
import type { EdgeEnv } from "../middleware/context.ts";

export const models = createFactory<EdgeEnv>().createHandlers(authenticate, async (context) => {
  const { body, etag } = (await context.var.services.catalog()).modelsBody();
  const headers = { etag, "cache-control": "private, max-age=60", "content-type": "application/json" };
  const known = context.req
    .header("if-none-match")
    ?.split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""));
  if (known?.includes(etag) || known?.includes("*")) return context.body(null, 304, headers);
  return context.body(body, 200, headers);
});
