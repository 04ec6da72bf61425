/**
 * The Hono app: order of middleware, the table of routes, one place for errors. Built from a function that
 * gives each request its services, so tests drive the same app with their own clock and fetch.
 */
import { Hono } from "hono";
import { cors } from "hono/cors";
import { GatewayError } from "../shared/errors.ts";
import { accessLog } from "./middleware/access-log.ts";
import type { EdgeContext, EdgeEnv } from "./middleware/context.ts";
import { requestId } from "./middleware/request-id.ts";
import { requireHttps } from "./middleware/require-https.ts";
import { respondError } from "./middleware/respond-error.ts";
import type { Services } from "./pipeline/services.ts";
import { chatCompletions } from "./routes/chat-completions.ts";
import { health } from "./routes/health.ts";
import { models } from "./routes/models.ts";

/** Path -> methods: what 405 answers are made from. */
const methodsByPath = new Map<string, string[]>([
  ["/health", ["GET", "HEAD"]],
  ["/v1/models", ["GET", "HEAD"]],
  ["/v1/chat/completions", ["POST"]],
]);

/** What a browser's script may read of an answer. */
const exposedHeaders = ["x-request-id", "x-svc-unsupported", "x-svc-credits-charged", "retry-after"];

export type AppOptions = {
  createServices: (context: EdgeContext) => Services;
  randomId: () => string;
};

export function createApp({ createServices, randomId }: AppOptions): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>();
  app.onError(respondError);
  app.notFound((context) => {
    throw notFound(context);
  });
  app.use(requestId(randomId));
  app.use(async (context, next) => {
    context.set("services", createServices(context));
    await next();
  });
  app.use(accessLog);
  app.use(
    cors({
      origin: (origin, context: EdgeContext) => allowOrigin(origin, context.var.services.config.corsOrigins),
      allowMethods: ["GET", "POST", "DELETE", "OPTIONS"],
      exposeHeaders: exposedHeaders,
      maxAge: 86_400,
    }),
  );
  app.use(requireHttps);
  app.get("/health", ...health);
  app.get("/v1/models", ...models);
  app.post("/v1/chat/completions", ...chatCompletions);
  return app;
}

/** `*` allows any origin; else the origin itself if it is listed. No credentials: keys are headers, not cookies. */
function allowOrigin(origin: string, allowed: readonly string[]): string | null {
  if (allowed.includes("*")) return "*";
  return allowed.includes(origin) ? origin : null;
}

function notFound(context: EdgeContext): GatewayError {
  const methods = methodsByPath.get(context.req.path);
  if (methods === undefined) {
    return new GatewayError(
      "not_found",
      "No such path; this service has /health, /v1/models and /v1/chat/completions.",
    );
  }
  const allow = methods.join(", ");
  return new GatewayError("method_not_allowed", `Use ${allow} on this path.`, { headers: { allow } });
}
