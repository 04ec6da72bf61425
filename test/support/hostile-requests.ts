/**
 * Hostile requests over every public path, and what any answer to one must be like: for the edge's own app in
 * workerd and for the whole service. Pure: requests are data, whoever tests sends them.
 */
import fc from "fast-check";
import { headerName, headerValue, hostileValue, rawBody } from "./hostile-values.ts";

export type HostileRequest = {
  /** With its query. */
  url: string;
  method: string;
  /** In place of `authorization` and `content-type: application/json`, or beside them. */
  headers: [string, string][];
  /** Undefined where the method takes none. */
  body: string | undefined;
};

export type HostileAnswer = { status: number; headers: Headers; text: string };

const llmKeys = "/v1/account/llm-keys";
const valid: Record<string, Record<string, unknown>> = {
  "/v1/chat/completions": {
    model: "svc-x1ac-base-gpt-4o",
    messages: [
      { role: "system", content: "on the start page" },
      { role: "user", content: [{ type: "text", text: "go" }] },
    ],
    max_tokens: 10,
    temperature: 1,
    top_p: 1,
    n: 1,
    stop: ["x"],
    stream: false,
    tools: [{ type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } }],
    tool_choice: "auto",
    svc: { plan: "off", max_llm_calls: 2 },
  },
  "/v1/messages": {
    model: "svc-x1ac-base-claude-sonnet-4-5",
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "t", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "ok" }] },
    ],
    max_tokens: 10,
    system: "s",
    tools: [{ name: "t", description: "d", input_schema: { type: "object" } }],
  },
  "/v1/responses": {
    model: "svc-x1ac-base-gpt-4o",
    input: [
      { role: "user", content: [{ type: "input_text", text: "go" }] },
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "ok" },
    ],
    tools: [{ type: "function", name: "f", parameters: { type: "object" } }],
    max_output_tokens: 16,
  },
  "/v1/responses/compact": { model: "svc-x1ac-base-gpt-4o", input: [{ role: "user", content: "go" }] },
  "/v1/responses/input_tokens": { model: "svc-x1ac-base-gpt-4o", input: "go", instructions: "i" },
  "/v1/messages/count_tokens": {
    model: "svc-x1ac-base-claude-sonnet-4-5",
    messages: [{ role: "user", content: "go" }],
  },
  "/v1/embeddings": { model: "svc-x1ac-base", input: ["a", "b"], encoding_format: "base64" },
  "/v1/rollout": { goal: "buy a ticket", max_steps: 3, actions: [1, 2], initial_state: "s", mode: "m" },
  [llmKeys]: { alpha_key: "sk-1", beta_key: "sk-ant-1", gamma_key: "AIza1", router_key: "sk-or-1" },
};
const paths = [
  ...Object.keys(valid),
  "/v1/models",
  "/v1/account/balance",
  "/health",
  "/v1/%00",
  "/v1/models/..%2f",
];

type Step = { field: number; inner: number; value: unknown };

/** A valid body with hostile values in some of its fields, at any depth. */
function spoil(body: Record<string, unknown>, steps: readonly Step[]): unknown {
  const copy: unknown = structuredClone(body);
  for (const { field, inner, value } of steps) {
    let holder = copy as Record<string, unknown>;
    for (let depth = 0; depth <= inner; depth++) {
      const keys = Object.keys(holder);
      if (keys.length === 0) break;
      const key = keys[(field + depth) % keys.length]!;
      const next = holder[key];
      if (depth === inner || typeof next !== "object" || next === null) {
        holder[key] = structuredClone(value);
        break;
      }
      holder = next as Record<string, unknown>;
    }
  }
  return copy;
}

const draft = fc.record({
  path: fc.constantFrom(...paths),
  query: fc.constantFrom(
    "",
    "",
    "",
    "?provider=alpha",
    "?provider=__proto__",
    "?provider=%ff",
    "?a[]=1&provider",
  ),
  method: fc.oneof(
    { weight: 6, arbitrary: fc.constant("POST") },
    { weight: 2, arbitrary: fc.constant("GET") },
    fc.constantFrom("DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"),
  ),
  body: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        steps: fc.array(fc.record({ field: fc.nat(20), inner: fc.nat(5), value: hostileValue }), {
          maxLength: 4,
        }),
      }),
    },
    { weight: 2, arbitrary: rawBody.map((text) => ({ text })) },
  ),
  headers: fc.oneof(
    { weight: 2, arbitrary: fc.constant<[string, string][]>([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(headerName, headerValue), { maxLength: 3 }) },
  ),
});

export const hostileRequest: fc.Arbitrary<HostileRequest> = draft.map(
  ({ path, query, method, headers, body }) => {
    const text = "text" in body ? body.text : JSON.stringify(spoil(valid[path] ?? {}, body.steps));
    const bare = method === "GET" || method === "HEAD";
    return { url: path + query, method, headers, body: bare ? undefined : text };
  },
);

/** The only documented answers of 500 and above. */
const announced = /world_model_not_loaded|return_intermediate/;

/** What is wrong with an answer, or undefined: a failure of ours, another form than its route's, a header let in. */
export function findFault(
  { url, method }: HostileRequest,
  { status, headers, text }: HostileAnswer,
): string | undefined {
  if (status >= 500 && !announced.test(text)) return "a failure of ours";
  if (headers.has("x-injected")) return "an injected header";
  if (!/^[\w.:-]{1,128}$/.test(headers.get("x-request-id") ?? "")) return "no usable request id";
  if (status < 400 || method === "HEAD") return undefined;
  if (text.length >= 20_000) return "an error as long as the request";
  const flat = url.startsWith(llmKeys);
  return readMessage(text, flat) === undefined ? "an error in another form" : undefined;
}

function readMessage(text: string, flat: boolean): string | undefined {
  try {
    const body = JSON.parse(text);
    const { message } = flat ? body : body.error;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
