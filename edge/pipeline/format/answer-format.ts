/**
 * JSON output at every provider. A provider that does not enforce the format gets the schema in the prompt, and its answer
 * is checked once, at the end: an answer of another form is an error.
 */
import {
  type ChatMessage,
  type ChatRequest,
  isInstruction,
  type ResponseFormat,
} from "../../../shared/chat.ts";
import { parseJson } from "../../dialects/json.ts";
import { providers } from "../../providers/registry.ts";
import { describeTarget, type Route } from "../../providers/resolve-route.ts";
import { createSchemaCheck } from "./schema-check.ts";

/**
 * Checks a whole answer: the first schema keyword that it breaks, or "JSON"; undefined when it fits. `steps`: how many it has taken by now;
 * absent where an answer takes no more time than its JSON does.
 */
export type FormatCheck = { (answer: string): string | undefined; steps?(): number };

export type FormattedRequest = { request: ChatRequest; check?: FormatCheck | undefined };

type JsonFormat = Exclude<ResponseFormat, { type: "text" }>;

/** `format` is the response format that the caller asked for. */
export function applyFormat(request: ChatRequest, format: ResponseFormat, route: Route): FormattedRequest {
  if (format.type === "text") return { request };
  const { dialect } = providers[route.provider];
  if (!dialect.enforcesFormat(request, describeTarget(route))) {
    return { request: withInstruction(request, describeFormat(format)), check: createCheck(format) };
  }
  // An aggregator passes a format on to hosts that may not know it.
  return { request, check: route.provider === "router" ? checkJson : undefined };
}

const checkJson: FormatCheck = (answer) => (parseJson(answer) === undefined ? "JSON" : undefined);

/** One check for all choices of a request. They share one budget of steps: once it is used up, the remaining answers are accepted. */
function createCheck(format: JsonFormat): FormatCheck {
  const findBroken = createSchemaCheck(format.type === "json" ? { type: "object" } : format.schema);
  const check = (answer: string) => {
    const value = parseJson(answer);
    return value === undefined ? "JSON" : findBroken(value);
  };
  return Object.assign(check, { steps: findBroken.steps });
}

function describeFormat(format: JsonFormat): string {
  const rule = "nothing before or after it, and no code fence. Calls of tools are made as always.";
  if (format.type === "json") return `[svc format] Write your answer as one JSON object, ${rule}`;
  const { name, description, schema } = format;
  const about = description === undefined ? name : `${name}: ${description}`;
  return (
    `[svc format] Write your answer as one JSON value that fits the JSON Schema below (${about}), ${rule}\n` +
    JSON.stringify(schema)
  );
}

/** Adds a system message after the caller's instructions: they stay the first bytes of each turn, so prompt caches still hit. */
function withInstruction(request: ChatRequest, text: string): ChatRequest {
  const { messages } = request;
  const first = messages.findIndex((message) => !isInstruction(message));
  const at = first === -1 ? messages.length : first;
  const instruction: ChatMessage = { role: "system", parts: [{ type: "text", text }] };
  return { ...request, messages: messages.toSpliced(at, 0, instruction) };
}
