/**
 * The fields of a request that its response repeats. A stream repeats them three times, twice before the first word, and they
 * wait in memory for a slow reader: thirty megabytes for a body of ten, which the memory budget for bodies does not count. So
 * long fields are left out.
 */
import { present, readObject, readText } from "../../json.ts";
import type { Echo } from "./reply-types.ts";
import type { ResponsesRequest, TextFormatInput } from "./schema.ts";
import type { ToolInput } from "./tool-schema.ts";

/** Longest field, as JSON, that is repeated. */
const maxEchoChars = 64 * 1024;

/**
 * A tool and a format with every field of OpenAI's echo. Clients with fixed types fail to read the whole response if a field is
 * missing, even one that is optional in the request.
 */
const echoTool = (tool: ToolInput): object =>
  tool.type === "function"
    ? {
        ...tool,
        description: tool.description ?? null,
        parameters: tool.parameters ?? { type: "object", properties: {} },
        strict: tool.strict ?? false,
      }
    : tool;
const echoFormat = (format: TextFormatInput): object =>
  format.type === "json_schema"
    ? { ...format, description: format.description ?? null, strict: format.strict ?? false }
    : format;

/** Every field. Those that the caller left out have OpenAI's defaults. */
function echoAll(body: Partial<ResponsesRequest>): Echo {
  const { text, reasoning } = body;
  return {
    frequency_penalty: 0,
    presence_penalty: 0,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: (readObject(body.metadata) ?? {}) as Record<string, string>,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    service_tier: body.service_tier ?? "default",
    temperature: body.temperature ?? 1,
    text: { ...text, format: echoFormat(text?.format ?? { type: "text" }) },
    tool_choice: body.tool_choice ?? "auto",
    tools: (body.tools ?? []).map(echoTool),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: "disabled",
    ...present({
      user: body.user,
      prompt_cache_key: readText(body.prompt_cache_key),
      safety_identifier: readText(body.safety_identifier),
    }),
  };
}

export function readEcho(body: ResponsesRequest): Echo {
  const short = Object.entries(echoAll(body)).filter(
    ([, value]) => JSON.stringify(value).length <= maxEchoChars,
  );
  return { ...echoAll({}), ...Object.fromEntries(short) };
}
