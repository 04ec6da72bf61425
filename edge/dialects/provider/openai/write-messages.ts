/**
 * Messages of the hub as OpenAI's. Tool results, wherever the caller had them, become `tool` messages; OpenAI takes only text there,
 * so images and files in a result follow in a user message once all results of that turn are given.
 */
import type { ChatMessage, ToolResultPart } from "../../../../shared/chat.ts";
import { nameMarks } from "../omissions.ts";
import { silentFields, type WireMessage, writeAssistant, writeCallId } from "./write-assistant.ts";
import {
  type ContentContext,
  isMedia,
  keepFields,
  type WirePart,
  writeContent,
  writePart,
} from "./write-media.ts";

/**
 * The results of a turn's calls come right after it: OpenAI refuses anything between them. In bodies of Responses, and so of Codex, notices
 * and what the user says meanwhile may stand there.
 */
export function writeMessages(messages: readonly ChatMessage[], context: ContentContext): WireMessage[] {
  const sent: WireMessage[] = [];
  let attached: WirePart[] = [];
  let afterResults: WireMessage[] = [];
  const endResults = () => {
    if (attached.length > 0) sent.push({ role: "user", content: attached });
    for (const message of afterResults) sent.push(message);
    attached = [];
    afterResults = [];
  };
  for (const message of messages) {
    const results = message.parts.filter((part) => part.type === "tool-result");
    for (const result of results) sent.push(writeResult(result, message.name, attached, context));
    const rest = message.parts.filter(({ type }) => type !== "tool-result");
    if (results.length > 0 && rest.length === 0) continue;
    const written = writeMessage({ ...message, parts: rest }, context);
    if (message.role !== "assistant") afterResults.push(written);
    else {
      endResults();
      sent.push(written);
    }
  }
  endResults();
  return sent;
}

function writeMessage(message: ChatMessage, context: ContentContext): WireMessage {
  if (message.role === "assistant") return writeAssistant(message, context);
  const developer = message.role === "developer" && !context.flavour.developerRole;
  const role = message.role === "tool" ? "user" : developer ? "system" : message.role;
  return {
    role,
    content: writeContent(message.parts.filter(isMedia), context, role),
    ...(message.name !== undefined && { name: message.name }),
  };
}

/** `name`: the tool's, where the caller says it: some servers' templates read it (Gemma, Kimi). */
function writeResult(
  result: ToolResultPart,
  name: string | undefined,
  attached: WirePart[],
  context: ContentContext,
): WireMessage {
  const { content, isError } = result;
  const id = writeCallId(result.toolCallId, context);
  if (isError) context.omissions.name("is_error");
  const parts = content.filter(isMedia).flatMap((part) => writePart(part, context));
  const media = parts.filter(({ type }) => type !== "text");
  const text = parts.filter(({ type }) => type === "text");
  if (media.length > 0) {
    attached.push({ type: "text", text: `Attached to the result of tool call ${id}:` }, ...media);
    if (text.length === 0) text.push({ type: "text", text: "(attached in the next user message)" });
  }
  if (context.marksResults) markText(text, result, context);
  else nameMarks(result, silentFields, context.omissions);
  const [first] = text;
  const plain = text.length <= 1 && Object.keys(first ?? {}).length <= 2;
  return {
    role: "tool",
    tool_call_id: id,
    ...(name !== undefined && { name }),
    content: plain ? String(first?.text ?? "") : text,
  };
}

/**
 * Puts a result's marks on its last text: OpenRouter takes a mark of the prompt's cache there, and on the message itself it may hang
 * (github.com/NousResearch/hermes-agent/pull/58129).
 */
function markText(text: WirePart[], { providerData }: ToolResultPart, context: ContentContext): void {
  const { caller: _caller, ...fields } = providerData ?? {};
  const marks = keepFields(fields, context);
  const last = text.pop();
  if (last !== undefined) text.push({ ...marks, ...last });
  else for (const name of Object.keys(marks)) context.omissions.name(name);
}
