/**
 * The Hono app: order of middleware, the table of routes, one place for errors. Built from a function that
 * gives each request its services, so tests drive the same app with their own clock and fetch.
 */
import { Hono } from "hono";
import { cors } from "hono/cors";
import { getPath } from "hono/utils/url";
import { GatewayError } from "../shared/errors.ts";
import { statusOfAnthropicError, writeAnthropicError } from "./dialects/caller/anthropic/write-error.ts";
import { writeOpenaiError } from "./dialects/caller/openai/write-error.ts";
import { isCodex, statusForCodex } from "./dialects/caller/responses/codex-errors.ts";
import type { EdgeContext, EdgeEnv, EdgeMiddleware, ErrorLayout } from "./middleware/context.ts";
import { drainBody } from "./middleware/drain-body.ts";
import { requireHttps } from "./middleware/forwarded.ts";
import { accessLog, createRequestServices, recordRequest, requestId } from "./middleware/record-request.ts";
import { respondError } from "./middleware/respond-error.ts";
import { responseHeaders } from "./openapi/headers.ts";
import { openapi } from "./openapi/serve.ts";
import type { IsolateServices } from "./pipeline/services.ts";
import { apiKeys } from "./routes/account/api-keys.ts";
import { startSignIn } from "./routes/account/authorization.ts";
import { balance } from "./routes/account/balance.ts";
import { writeFlatError } from "./routes/account/flat-error.ts";
import { identities } from "./routes/account/identities.ts";
import { llmKeys } from "./routes/account/llm-keys.ts";
import { session } from "./routes/account/session.ts";
import { signIn } from "./routes/account/sign-in.ts";
import { tokens } from "./routes/account/tokens.ts";
import { usage } from "./routes/account/usage.ts";
import { chatCompletions } from "./routes/chat-completions.ts";
import { consoleFile, servedPaths, showMissingPage } from "./routes/console.ts";
import { countResponseTokens, countTokens } from "./routes/count-tokens.ts";
import { embeddings } from "./routes/embeddings.ts";
import { generation } from "./routes/generation.ts";
import { health } from "./routes/health.ts";
import { messages } from "./routes/messages.ts";
import { metrics } from "./routes/metrics.ts";
import { models, speaksAnthropic } from "./routes/models.ts";
import { operatorAccounts } from "./routes/operator/accounts.ts";
import { operatorBooks } from "./routes/operator/books.ts";
import { operatorErrors } from "./routes/operator/errors.ts";
import { operatorWorkers } from "./routes/operator/workers.ts";
import { compaction, responses } from "./routes/responses.ts";
import { rollout } from "./routes/rollout.ts";
import { explainUnknownPath, fits, isOfGemini, versionPrefix } from "./routes/unknown-path.ts";

const apiKeysPath = "/v1/account/api-keys";
const llmKeysPath = "/v1/account/llm-keys";
const sessionPath = "/v1/account/session";
const identitiesPath = `${sessionPath}/identities`;
const signInPath = "/v1/account/sign-in";
const operatorPath = "/v1/operator";
const modelsPath = "/v1/models";
const messagesPath = "/v1/messages";
const responsesPath = "/v1/responses";

/** Every path of the service: a new one is a new row. */
const routes: readonly Endpoint[] = [
  { method: "GET", path: "/health", handlers: health },
  { method: "GET", path: "/openapi.json", handlers: openapi },
  { method: "GET", path: modelsPath, handlers: models.list },
  { method: "GET", path: `${modelsPath}/:id{.+}`, handlers: models.retrieve },
  { method: "POST", path: "/v1/chat/completions", handlers: chatCompletions },
  { method: "POST", path: responsesPath, handlers: responses },
  { method: "POST", path: `${responsesPath}/compact`, handlers: compaction },
  { method: "POST", path: `${responsesPath}/input_tokens`, handlers: countResponseTokens },
  { method: "POST", path: messagesPath, handlers: messages },
  { method: "POST", path: `${messagesPath}/count_tokens`, handlers: countTokens },
  { method: "POST", path: "/v1/embeddings", handlers: embeddings },
  { method: "POST", path: "/v1/rollout", handlers: rollout },
  { method: "GET", path: "/v1/generation", handlers: generation },
  { method: "GET", path: "/v1/account/balance", handlers: balance },
  { method: "GET", path: llmKeysPath, handlers: llmKeys.status },
  { method: "POST", path: llmKeysPath, handlers: llmKeys.store },
  { method: "DELETE", path: llmKeysPath, handlers: llmKeys.forget },
  ...servedPaths.map((page): Endpoint => ({ method: "GET", path: page, handlers: consoleFile })),
  { method: "GET", path: apiKeysPath, handlers: apiKeys.list },
  { method: "POST", path: apiKeysPath, handlers: apiKeys.create },
  { method: "PATCH", path: `${apiKeysPath}/:id`, handlers: apiKeys.change },
  { method: "DELETE", path: `${apiKeysPath}/:id`, handlers: apiKeys.end },
  { method: "GET", path: "/v1/account/usage", handlers: usage },
  { method: "POST", path: "/v1/account/tokens", handlers: tokens },
  { method: "POST", path: `${signInPath}/code`, handlers: signIn.sendCode },
  { method: "POST", path: `${signInPath}/:provider`, handlers: startSignIn },
  { method: "POST", path: signInPath, handlers: signIn.begin },
  { method: "GET", path: sessionPath, handlers: session.show },
  { method: "DELETE", path: sessionPath, handlers: session.end },
  { method: "GET", path: identitiesPath, handlers: identities.list },
  { method: "POST", path: identitiesPath, handlers: identities.link },
  { method: "DELETE", path: identitiesPath, handlers: identities.unlink },
  { method: "POST", path: `${identitiesPath}/:provider`, handlers: identities.begin },
  { method: "GET", path: `${operatorPath}/accounts`, handlers: operatorAccounts.list },
  { method: "PATCH", path: `${operatorPath}/accounts/:id`, handlers: operatorAccounts.change },
  { method: "POST", path: `${operatorPath}/accounts/:id/credits`, handlers: operatorAccounts.credit },
  { method: "GET", path: `${operatorPath}/books`, handlers: operatorBooks },
  { method: "GET", path: `${operatorPath}/errors`, handlers: operatorErrors },
  { method: "GET", path: `${operatorPath}/workers`, handlers: operatorWorkers },
];

const anthropicLayout: ErrorLayout = {
  write: writeAnthropicError,
  statusOf: statusOfAnthropicError,
  requestIdHeader: "request-id",
};

/** Paths, and all below them, whose errors are not in OpenAI's layout; with `appliesTo` only for requests whose headers it accepts. */
const errorLayouts: readonly ({ path: string; appliesTo?: (headers: Headers) => boolean } & ErrorLayout)[] = [
  ...[llmKeysPath, apiKeysPath, signInPath, sessionPath, operatorPath].map((path) => ({
    path,
    write: writeFlatError,
  })),
  { path: messagesPath, ...anthropicLayout },
  { path: modelsPath, appliesTo: speaksAnthropic, ...anthropicLayout },
  { path: responsesPath, appliesTo: isCodex, write: writeOpenaiError, statusOf: statusForCodex },
];

function layoutOf({ path, raw: { headers } }: EdgeContext["req"]): ErrorLayout | undefined {
  const ofPath = errorLayouts.find(
    (layout) =>
      (path === layout.path || path.startsWith(`${layout.path}/`)) && (layout.appliesTo?.(headers) ?? true),
  );
  if (ofPath !== undefined) return ofPath;
  // An unknown path belongs to no dialect: the headers say which one the client reads.
  const isKnown = routes.some((route) => fits(route.path, path));
  return !isKnown && speaksAnthropic(headers) ? anthropicLayout : undefined;
}

type Endpoint = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  /** The handlers of each route have their own types of input, which no list can name: `never` stands for all of them. */
  handlers: readonly ((context: never, next: never) => unknown)[];
};

export type AppOptions = {
  createServices: (context: EdgeContext) => IsolateServices;
  randomId: () => string;
};

export function createApp({ createServices, randomId }: AppOptions): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>({ getPath: normalizePath });
  app.onError(respondError);
  app.notFound(async (context) => {
    const error = notFound(context);
    const page = error.code === "not_found" ? await showMissingPage(context) : undefined;
    if (page === undefined) throw error;
    return page;
  });
  app.use(requestId(randomId));
  app.use(async (context, next) => {
    const layout = layoutOf(context.req);
    context.set("errorLayout", layout);
    if (layout?.requestIdHeader) context.header(layout.requestIdHeader, context.get("requestId"));
    context.set("services", createRequestServices(createServices(context), context.req.raw.headers));
    await next();
  });
  app.use(recordRequest);
  app.use(accessLog);
  app.use(drainBody);
  app.use(addCorsHeaders);
  app.use(requireHttps);
  // Clients probe with `HEAD /` whether the service is up. Answered even where no console is built.
  app.use("/", (context, next) =>
    context.req.method === "HEAD" ? Promise.resolve(context.body(null, 200)) : next(),
  );
  for (const { method, path, handlers } of routes) app.on(method, [path], ...(handlers as EdgeMiddleware[]));
  // For the operator alone, so it is in no published list of paths.
  app.get("/metrics", ...metrics);
  return app;
}

/** Groq's clients add `/openai/v1` to any base URL, Azure's version 1 has it too. */
const versions = /^(?:\/openai)?(?:\/v1)+(?=\/|$)/;

/**
 * The path for Hono's router, which sees only the result: clients join a base URL and a path of their own, so a slash too many,
 * a doubled version and Groq's `/openai/v1` are the same path, and simply served. Linear in the path's length.
 */
function normalizePath(request: Request): string {
  const path = getPath(request)
    .replace(/\/{2,}/g, "/")
    .replace(versions, versionPrefix);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

const addCors: EdgeMiddleware = cors({
  origin: (origin, context: EdgeContext) => allowOrigin(origin, context.get("services").config.corsOrigins),
  allowMethods: ["GET", "POST", "PATCH", "DELETE", "OPTIONS"],
  // What a browser's script may read of an answer: every header that the description names.
  exposeHeaders: Object.keys(responseHeaders),
  maxAge: 86_400,
});

/**
 * After the route, but for a preflight. Before it, `cors` makes an answer to hold its headers, and Hono then makes the route's twice: as
 * the route gives it, and with those headers.
 */
const addCorsHeaders: EdgeMiddleware = async (context, next) => {
  if (context.req.method === "OPTIONS") return addCors(context, next);
  await next();
  return addCors(context, async () => {});
};

/** `*` allows any origin. Never with credentials: other origins use keys and tokens, the session's cookie is for our own pages. */
function allowOrigin(origin: string, allowed: readonly string[]): string | null {
  if (allowed.includes("*")) return "*";
  return allowed.includes(origin) ? origin : null;
}

/** Paths that no API key opens. */
const ofPages = [operatorPath, signInPath, sessionPath];
const listed = routes
  .map(({ path }) => path)
  .filter((path) => !servedPaths.includes(path) && !ofPages.some((page) => path.startsWith(page)));

function notFound(context: EdgeContext): GatewayError {
  const methods = routes.filter(({ path }) => fits(path, context.req.path)).map(({ method }) => method);
  if (methods.length === 0 || isOfGemini(context.req.path))
    return explainUnknownPath(context.req.path, listed);
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  // Relays remove the header Upgrade of a request for a WebSocket, and leave this one.
  if (context.req.header("sec-websocket-key") !== undefined) {
    const advice = `This path is served without WebSockets: use ${allow} over plain HTTP.`;
    return new GatewayError("websocket_not_served", advice, { headers: { allow } });
  }
  return new GatewayError("method_not_allowed", `Use ${allow} on this path.`, { headers: { allow } });
}
