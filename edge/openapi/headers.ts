/** Request headers that any client may send, as parameters, and response headers. */
import { inlineKeyHeaders, providerKinds } from "../../shared/providers.ts";
import { providers } from "../providers/registry.ts";
import { planHeaderNames } from "../routes/messages.ts";

const text = { type: "string" };
const header = (name: string, description: string, schema: object = text) => ({
  name,
  in: "header",
  required: false,
  description,
  schema,
});

export const requestHeaders = {
  ...Object.fromEntries(
    providerKinds.map((kind) => [
      inlineKeyHeaders[kind],
      header(
        inlineKeyHeaders[kind],
        `Your own key for ${providers[kind].title}: the LLM is then billed to you by its provider, without markup here.`,
      ),
    ]),
  ),
  "x-svc-plan": header("x-svc-plan", "off: the plan stays out of the LLM's prompt, as svc.plan does it.", {
    type: "string",
    enum: ["off", "on"],
  }),
  "idempotency-key": header(
    "Idempotency-Key",
    "A retry with the same key and body within 24 hours gets the first answer, and is not charged again.",
    { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  ),
  "x-request-id": header("x-request-id", "Your id for the request; kept if it is a plain token."),
  "anthropic-version": header("anthropic-version", "With it, answers and errors are in Anthropic's shape."),
  "anthropic-beta": header("anthropic-beta", "Goes to Claude; named in x-svc-unsupported elsewhere."),
  "if-none-match": header(
    "if-none-match",
    "The ETag of an earlier answer: 304 if the list has not changed since.",
  ),
} satisfies Record<string, object>;

const answers = (description: string, schema: object = text) => ({ description, schema });
const number = { type: "number" };
const whole = { type: "integer" };
/** Headers of a rate limit, each by its name in the IETF's draft and by the `x-` name of most APIs. */
const limitHeaders = Object.fromEntries(
  Object.entries({
    limit: "How many are allowed per minute.",
    remaining: "How many are left in the current window.",
    reset: "Seconds until one more is allowed.",
  }).flatMap(([name, description]) =>
    ["ratelimit", "x-ratelimit"].map((prefix) => [`${prefix}-${name}`, answers(description, whole)]),
  ),
);
export const limitHeaderNames = Object.keys(limitHeaders);
const planDescriptions: Readonly<Record<(typeof planHeaderNames)[number], string>> = {
  "x-svc-execution-llm": "The LLM that answered.",
  "x-svc-key-source": "user or pool: who pays the LLM's provider.",
  "x-svc-plan": "Planned actions, comma-separated.",
  "x-svc-confidence": "Overall confidence of the plan, 0 to 1.",
  "x-svc-metadata": "The svc object of a chat completion as JSON, without execution_trace.",
};

export const responseHeaders = {
  "x-request-id": answers("The request's id: yours, or one of ours."),
  "server-timing": answers("How long each stage took, as far as it is known (W3C Server-Timing)."),
  "request-id": answers("The same, where Anthropic's clients look for it."),
  "x-should-retry": answers("false: the same request will fail again. Official clients act on it.", {
    type: "string",
    enum: ["false"],
  }),
  "www-authenticate": answers(
    "How to authenticate: this service's API key as a Bearer token (x-api-key also accepted).",
  ),
  "retry-after": answers("Seconds after which a retry is worth it.", whole),
  "x-svc-credits-charged": answers(
    "Credits that the request cost (JSON answers, and errors that cost some).",
    number,
  ),
  "x-svc-unsupported": answers(
    "What was left out as the provider could not take it, or has no effect here; comma-separated.",
  ),
  "x-svc-count": answers("Who counted the tokens: the provider, or this service (an estimate).", {
    type: "string",
    enum: ["provider", "estimate"],
  }),
  "idempotent-replayed": answers("true: this is the kept answer of an earlier request."),
  etag: answers("Changes when the list does; send it back in if-none-match."),
  ...Object.fromEntries(planHeaderNames.map((name) => [name, answers(planDescriptions[name])])),
  ...limitHeaders,
};
