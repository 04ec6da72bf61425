/**
 * The body of POST /v1/chat/completions in the two forms it comes in, as the hub's request: chat completions, and what Cursor sends
 * for agents, a body of POST /v1/responses whose answer it reads as a chat completion.
 */
import { z } from "zod";
import { GatewayError } from "../../shared/errors.ts";
import { readCursorShapes } from "../dialects/caller/openai/cursor-shapes.ts";
import { readChatRequest, renameOmission } from "../dialects/caller/openai/read-request.ts";
import { ChatCompletionRequest } from "../dialects/caller/openai/schema.ts";
import type { CustomForm } from "../dialects/caller/openai/write-calls.ts";
import { refersToItems } from "../dialects/caller/responses/item-ids.ts";
import {
  readResponsesRequest,
  renameOmission as renameInResponses,
} from "../dialects/caller/responses/read-request.ts";
import { refuseStateful } from "../dialects/caller/responses/refuse-stateful.ts";
import { ResponsesRequest } from "../dialects/caller/responses/schema.ts";
import type { AskedChat } from "../dialects/caller/svc-options.ts";
import { type JsonObject, parseBounded, readList, readObject } from "../dialects/json.ts";
import { resolveUnions } from "../middleware/describe-issues.ts";

const responsesCap = "max_output_tokens";

const isOfResponses = (body: unknown): body is JsonObject => {
  const { input, messages } = readObject(body) ?? {};
  return (input ?? undefined) !== undefined && readList(messages).length === 0;
};

/**
 * Gives the output cap of a Responses body the name that it has there, if it came under that of chat completions. `capName`: its name as
 * sent.
 */
function renameCap(body: JsonObject): { body: JsonObject; capName: string } {
  const { max_completion_tokens: newer, max_tokens: older, ...rest } = body;
  const cap = newer ?? older;
  if (body.max_output_tokens != null || cap == null) return { body, capName: responsesCap };
  const capName = newer == null ? "max_tokens" : "max_completion_tokens";
  return { body: { ...rest, [responsesCap]: cap }, capName };
}

type Parsed = { customForm: CustomForm } & (
  | { form: "chat"; body: ChatCompletionRequest }
  | { form: "responses"; body: ResponsesRequest }
);

export const ChatBody = z.unknown().transform((given, context): Parsed => {
  if (isOfResponses(given)) {
    const { body, capName } = renameCap(given);
    const parsed = parseBounded(ResponsesRequest, body);
    if (parsed.success) return { form: "responses", body: parsed.data, customForm: "function" };
    for (const issue of parsed.error.issues)
      context.addIssue({ ...issue, path: issue.path[0] === responsesCap ? [capName] : issue.path });
    return z.NEVER;
  }
  const { body, readsFunctions, readPath } = readCursorShapes(given);
  const parsed = parseBounded(ChatCompletionRequest, body);
  if (parsed.success)
    return { form: "chat", body: parsed.data, customForm: readsFunctions ? "function" : "custom" };
  for (const issue of parsed.error.issues.flatMap((found) => resolveUnions(found)))
    context.addIssue({ ...issue, path: readPath(issue.path) });
  return z.NEVER;
});

type ReadBody = {
  asked: AskedChat;
  includeUsage: boolean;
  customForm: CustomForm;
  nameUnsupported(names: readonly string[]): string[];
};

/** Throws invalid_request, unsupported_parameter. */
export function readChatBody(parsed: Parsed): ReadBody {
  const { customForm } = parsed;
  if (parsed.form === "responses") return { ...readResponses(parsed.body), customForm };
  const { body } = parsed;
  const { includeUsage, ...asked } = readChatRequest(body);
  const nameUnsupported = (names: readonly string[]) => names.map((name) => renameOmission(body, name));
  return { asked, includeUsage, customForm, nameUnsupported };
}

/**
 * References are refused: the ids of a chat completion do not carry their items. `store: true` is served, as in other bodies of
 * chat completions: Cursor sends it with each.
 */
function readResponses({ stream_options: options, ...body }: ResponsesRequest) {
  refuseStateful(body, ["store"]);
  if (refersToItems(body)) {
    const message = "This service keeps no items: send them whole in input, in place of item_reference.";
    throw new GatewayError("unsupported_parameter", message, { param: "input" });
  }
  const {
    echo: _echo,
    unsupported,
    toolNames: _n,
    searches: _s,
    compacts: _c,
    ...asked
  } = readResponsesRequest({ ...body, input: restoreCalls(body) });
  return {
    asked,
    includeUsage: readObject(options)?.include_usage === true,
    nameUnsupported: (names: readonly string[]) => [...unsupported, ...names.map(renameInResponses)],
  };
}

/** Restores the calls of custom tools, as cursor-shapes.ts does for chat bodies. */
function restoreCalls({
  input,
  tools,
}: Pick<ResponsesRequest, "input" | "tools">): ResponsesRequest["input"] {
  const custom = new Set(tools?.filter(({ type }) => type === "custom").map(({ name }) => name));
  if (typeof input === "string" || custom.size === 0) return input;
  return input.map((item) =>
    item.type === "function_call" && custom.has(item.name)
      ? { ...item, type: "custom_tool_call" as const, input: item.arguments }
      : item,
  );
}
