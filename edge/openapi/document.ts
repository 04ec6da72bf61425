/** The whole OpenAPI 3.1 document, put together from its tables. Costs some 50 ms, so it is built when it is first asked for. */
import { version } from "../routes/health.ts";
import { buildErrorExamples, buildErrorTable } from "./error-answers.ts";
import { requestHeaders, responseHeaders } from "./headers.ts";
import { writeOperation } from "./operation.ts";
import { operations } from "./operations.ts";
import { buildSchemas } from "./schemas.ts";

const description = `A gateway that thinks before it forwards: a world model plans the next steps toward the goal of a request, the LLM that the request names writes the answer, and the caller pays for exactly what was used.

Model names are \`svc-x1ac-{size}-{llm}\`; \`GET /v1/models\` lists them. 1 credit is 1 US dollar.

## Errors

Every error has one status, type and code. \`/v1/messages\` answers in Anthropic's layout (where 422 is 400), and so does \`/v1/models\` to clients that send \`anthropic-version\`; most of \`/v1/account\` has the flat body \`{error, message}\`; everything else answers as OpenAI does. Where a retry cannot help, \`x-should-retry: false\` says so. Other paths are 404 \`not_found\`, other methods 405 \`method_not_allowed\` with \`Allow\`, and 426 where a WebSocket is asked for.

${buildErrorTable()}`;

const tags = {
  Chat: "Planned answers of LLMs, in three dialects.",
  "World model": "Vectors and predictions, without an LLM.",
  Models: "Names, limits, prices.",
  Account: "Past requests, credits, keys and tokens.",
  Service: "What runs here.",
};

const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "An API key (svc_sk_live_...), or on Chat and World model a token (svc_tk_...).",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "The same, as Anthropic's clients send it.",
  },
  bareKey: {
    type: "apiKey",
    in: "header",
    name: "authorization",
    description: "The API key without Bearer.",
  },
};

function buildPaths(): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method] = writeOperation(operation);
  }
  return paths;
}

export const buildDocument = () => ({
  openapi: "3.1.1",
  info: {
    title: "svc",
    version,
    summary: "An LLM gateway that thinks before it forwards",
    description,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: "/", description: "The service that this document came from" }],
  security: [{ bearer: [] }, { apiKey: [] }],
  tags: Object.entries(tags).map(([name, words]) => ({ name, description: words })),
  paths: buildPaths(),
  components: {
    securitySchemes,
    schemas: {
      ...buildSchemas(),
      OpenapiDocument: {
        type: "object",
        required: ["openapi", "paths"],
        properties: { openapi: { type: "string" }, paths: { type: "object" } },
        additionalProperties: true,
      },
    },
    parameters: requestHeaders,
    headers: responseHeaders,
    examples: buildErrorExamples(),
  },
});
