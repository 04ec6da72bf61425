/**
 * The Hono app: order of middleware, the table of routes, one place for errors. Built from a function that
 * gives each request its services, so tests drive the same app with their own clock and fetch.
 */
import { Hono } from "hono";
import { cors } from "hono/cors";
import { GatewayError } from "../shared/errors.ts";
import { encodeAnthropicError, statusOfAnthropicError } from "./dialects/caller/anthropic/write-error.ts";
import { encodeOpenaiError } from "./dialects/caller/openai/write-error.ts";
import { isCodex, statusForCodex } from "./dialects/caller/responses/write-error.ts";
import type { EdgeContext, EdgeEnv, ErrorLayout } from "./middleware/context.ts";
import { readPath, requireHttps, versionPrefix } from "./middleware/entrance.ts";
import { readOut } from "./middleware/read-out.ts";
import { respondError } from "./middleware/respond-error.ts";
import { accessLog, requestId, watchRequest, watchServices } from "./middleware/watch-request.ts";
import { openapi } from "./openapi/serve.ts";
import type { IsolateServices } from "./pipeline/services.ts";
import { apiKeys } from "./routes/account/api-keys.ts";
import { balance } from "./routes/account/balance.ts";
import { encodeFlatError } from "./routes/account/flat-error.ts";
import { identities } from "./routes/account/identities.ts";
import { leaveToSignIn } from "./routes/account/identity.ts";
import { llmKeys } from "./routes/account/llm-keys.ts";
import { session } from "./routes/account/session.ts";
import { signIn } from "./routes/account/sign-in.ts";
import { tokens } from "./routes/account/tokens.ts";
import { usage } from "./routes/account/usage.ts";
import { chatCompletions } from "./routes/chat-completions.ts";
import { consoleFile, servedPaths } from "./routes/console.ts";
import { countTokens } from "./routes/count-tokens.ts";
import { embeddings } from "./routes/embeddings.ts";
import { generation } from "./routes/generation.ts";
import { health } from "./routes/health.ts";
import { messages, planHeaderNames } from "./routes/messages.ts";
import { metrics } from "./routes/metrics.ts";
import { models, speaksAnthropic } from "./routes/models.ts";
import { operatorAccounts } from "./routes/operator/accounts.ts";
import { operatorBooks } from "./routes/operator/books.ts";
import { operatorErrors } from "./routes/operator/errors.ts";
import { operatorWorkers } from "./routes/operator/workers.ts";
import { responses } from "./routes/responses.ts";
import { rollout } from "./routes/rollout.ts";

const apiKeysPath = "/v1/account/api-keys";
const llmKeysPath = "/v1/account/llm-keys";
const tokensPath = "/v1/account/tokens";
const sessionPath = "/v1/account/session";
const identitiesPath = `${sessionPath}/identities`;
const signInPath = "/v1/account/sign-in";
const operatorPath = "/v1/operator";
const usagePath = "/v1/account/usage";
const modelsPath = "/v1/models";
const messagesPath = "/v1/messages";
const responsesPath = "/v1/responses";

/** Every path of the service: a new one is a new row. */
const routes: readonly Endpoint[] = [
  { path: "/health", method: "GET", add: (app, path) => app.get(path, ...health) },
  { path: "/openapi.json", method: "GET", add: (app, path) => app.get(path, ...openapi) },
  { path: modelsPath, method: "GET", add: (app, path) => app.get(path, ...models.list) },
  { path: `${modelsPath}/:id{.+}`, method: "GET", add: (app, path) => app.get(path, ...models.retrieve) },
  { path: "/v1/chat/completions", method: "POST", add: (app, path) => app.post(path, ...chatCompletions) },
  { path: responsesPath, method: "POST", add: (app, path) => app.post(path, ...responses) },
  { path: messagesPath, method: "POST", add: (app, path) => app.post(path, ...messages) },
  {
    path: `${messagesPath}/count_tokens`,
    method: "POST",
    add: (app, path) => app.post(path, ...countTokens),
  },
  { path: "/v1/embeddings", method: "POST", add: (app, path) => app.post(path, ...embeddings) },
  { path: "/v1/rollout", method: "POST", add: (app, path) => app.post(path, ...rollout) },
  { path: "/v1/generation", method: "GET", add: (app, path) => app.get(path, ...generation) },
  { path: "/v1/account/balance", method: "GET", add: (app, path) => app.get(path, ...balance) },
  { path: llmKeysPath, method: "GET", add: (app, path) => app.get(path, ...llmKeys.status) },
  { path: llmKeysPath, method: "POST", add: (app, path) => app.post(path, ...llmKeys.store) },
  { path: llmKeysPath, method: "DELETE", add: (app, path) => app.delete(path, ...llmKeys.forget) },
  ...servedPaths.map(
    (page): Endpoint => ({ path: page, method: "GET", add: (app, path) => app.get(path, ...consoleFile) }),
  ),
  { path: apiKeysPath, method: "GET", add: (app, path) => app.get(path, ...apiKeys.list) },
  { path: apiKeysPath, method: "POST", add: (app, path) => app.post(path, ...apiKeys.create) },
  { path: `${apiKeysPath}/:id`, method: "PATCH", add: (app, path) => app.patch(path, ...apiKeys.change) },
  { path: `${apiKeysPath}/:id`, method: "DELETE", add: (app, path) => app.delete(path, ...apiKeys.end) },
  { path: usagePath, method: "GET", add: (app, path) => app.get(path, ...usage) },
  { path: tokensPath, method: "POST", add: (app, path) => app.post(path, ...tokens) },
  { path: `${signInPath}/code`, method: "POST", add: (app, path) => app.post(path, ...signIn.sendCode) },
  {
    path: `${signInPath}/:provider`,
    method: "POST",
    add: (app, path) => app.post(path, ...leaveToSignIn),
  },
  { path: signInPath, method: "POST", add: (app, path) => app.post(path, ...signIn.begin) },
  { path: sessionPath, method: "GET", add: (app, path) => app.get(path, ...session.show) },
  { path: sessionPath, method: "DELETE", add: (app, path) => app.delete(path, ...session.end) },
  { path: identitiesPath, method: "GET", add: (app, path) => app.get(path, ...identities.list) },
  { path: identitiesPath, method: "POST", add: (app, path) => app.post(path, ...identities.link) },
  { path: identitiesPath, method: "DELETE", add: (app, path) => app.delete(path, ...identities.unlink) },
  {
    path: `${identitiesPath}/:provider`,
    method: "POST",
    add: (app, path) => app.post(path, ...identities.begin),
  },
  {
    path: `${operatorPath}/accounts`,
    method: "GET",
    add: (app, path) => app.get(path, ...operatorAccounts.list),
  },
  {
    path: `${operatorPath}/accounts/:id`,
    method: "PATCH",
    add: (app, path) => app.patch(path, ...operatorAccounts.change),
  },
  {
    path: `${operatorPath}/accounts/:id/credits`,
    method: "POST",
    add: (app, path) => app.post(path, ...operatorAccounts.credit),
  },
  { path: `${operatorPath}/books`, method: "GET", add: (app, path) => app.get(path, ...operatorBooks) },
  { path: `${operatorPath}/errors`, method: "GET", add: (app, path) => app.get(path, ...operatorErrors) },
  { path: `${operatorPath}/workers`, method: "GET", add: (app, path) => app.get(path, ...operatorWorkers) },
];

const anthropicLayout: ErrorLayout = {
  encode: encodeAnthropicError,
  statusOf: statusOfAnthropicError,
  requestIdHeader: "request-id",
};

/** Paths, and all below them, whose errors are not in OpenAI's layout. With `to`: only for requests whose headers it accepts. */
const errorLayouts: readonly ({ path: string; to?: (headers: Headers) => boolean } & ErrorLayout)[] = [
  ...[llmKeysPath, apiKeysPath, usagePath, tokensPath, signInPath, sessionPath, operatorPath].map((path) => ({
    path,
    encode: encodeFlatError,
  })),
  { path: messagesPath, ...anthropicLayout },
  { path: modelsPath, to: speaksAnthropic, ...anthropicLayout },
  { path: responsesPath, to: isCodex, encode: encodeOpenaiError, statusOf: statusForCodex },
];

function layoutOf({ path, raw: { headers } }: EdgeContext["req"]): ErrorLayout | undefined {
  const ofPath = errorLayouts.find(
    (layout) =>
      (path === layout.path || path.startsWith(`${layout.path}/`)) && (layout.to?.(headers) ?? true),
  );
  if (ofPath !== undefined) return ofPath;
  // An unknown path belongs to no dialect: the headers say which one the client reads.
  const isKnown = routes.some((route) => fits(route.path, path));
  return !isKnown && speaksAnthropic(headers) ? anthropicLayout : undefined;
}

type Endpoint = {
  path: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** A function, since the handlers of each route have their own types, which one array type cannot hold. */
  add: (app: Hono<EdgeEnv>, path: string) => void;
};

/** What a browser's script may read of an answer. */
const exposedHeaders = [
  "x-request-id",
  "x-svc-unsupported",
  "x-svc-credits-charged",
  "request-id",
  ...planHeaderNames,
  "retry-after",
  "x-should-retry",
  "server-timing",
  "idempotent-replayed",
  ...["limit", "remaining", "reset"].flatMap((name) => [`ratelimit-${name}`, `x-ratelimit-${name}`]),
];

export type AppOptions = {
  createServices: (context: EdgeContext) => IsolateServices;
  randomId: () => string;
};

export function createApp({ createServices, randomId }: AppOptions): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>({ getPath: readPath });
  app.onError(respondError);
  app.notFound((context) => {
    throw notFound(context);
  });
  app.use(requestId(randomId));
  app.use(async (context, next) => {
    const layout = layoutOf(context.req);
    context.set("errorLayout", layout);
    if (layout?.requestIdHeader) context.header(layout.requestIdHeader, context.var.requestId);
    context.set("services", watchServices(createServices(context), context.req.raw.headers));
    await next();
  });
  app.use(watchRequest);
  app.use(accessLog);
  app.use(readOut);
  app.use(
    cors({
      origin: (origin, context: EdgeContext) => allowOrigin(origin, context.var.services.config.corsOrigins),
      allowMethods: ["GET", "POST", "PATCH", "DELETE", "OPTIONS"],
      exposeHeaders: exposedHeaders,
      maxAge: 86_400,
    }),
  );
  app.use(requireHttps);
  // Clients probe with `HEAD /` whether the service is up. Answered even where no console is built.
  app.use("/", (context, next) =>
    context.req.method === "HEAD" ? Promise.resolve(context.body(null, 200)) : next(),
  );
  for (const { path, add } of routes) add(app, path);
  // The operator's own: in no list of paths.
  app.get("/metrics", ...metrics);
  return app;
}

/** `*` allows any origin. Never with credentials: other origins use keys and tokens, the session's cookie is for our own pages. */
function allowOrigin(origin: string, allowed: readonly string[]): string | null {
  if (allowed.includes("*")) return "*";
  return allowed.includes(origin) ? origin : null;
}

/** `:name` matches one segment, `:name{.+}` the rest. No more segments are split off than the route has. */
function fits(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/", wanted.length + 1);
  const takesRest = pattern.endsWith("{.+}") && given.length >= wanted.length;
  const isAsLong = takesRest || given.length === wanted.length;
  return isAsLong && wanted.every((part, at) => part.startsWith(":") || part === given[at]);
}

function notFound(context: EdgeContext): GatewayError {
  const methods = routes.filter(({ path }) => fits(path, context.req.path)).map(({ method }) => method);
  if (methods.length === 0) {
    const meant = versionPrefix + context.req.path;
    if (routes.some(({ path }) => fits(path, meant))) {
      const advice = `end your client's base URL with ${versionPrefix}`;
      return new GatewayError("not_found", `There is nothing at this path; use ${meant}: ${advice}.`);
    }
    const ofApi = routes
      .map(({ path }) => path)
      .filter((path) => !servedPaths.includes(path) && !path.startsWith(operatorPath));
    const paths = [...new Set(ofApi.map((path) => path.replace("{.+}", "")))].join(", ");
    return new GatewayError("not_found", `There is nothing at this path; use one of ${paths}.`);
  }
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  // Relays remove the header Upgrade of a request for a WebSocket, and leave this one.
  if (context.req.header("sec-websocket-key") !== undefined) {
    const advice = `This path is served without WebSockets: use ${allow} over plain HTTP.`;
    return new GatewayError("websocket_not_served", advice, { headers: { allow } });
  }
  return new GatewayError("method_not_allowed", `Use ${allow} on this path.`, { headers: { allow } });
}
