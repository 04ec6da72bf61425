/** What surrounds an answer's content in the hub's form: facts about the whole answer, the finish reason and the token counts. */
import type { ChatEvent, FinishReason, ProviderData, Usage } from "../../../../shared/chat.ts";
import { createTable } from "../../../../shared/lookup-table.ts";
import { present, withData } from "../../json.ts";
import type { MessageDelta, MessageEnd, MessageFacts, WireUsage } from "./schema.ts";

/**
 * Fields of a message, or of the events around one, that are not passed on as unknown: the hub holds them, they are read by name, or they
 * are this service's own.
 */
const knownFields: ReadonlySet<string> = new Set([
  ...["id", "type", "role", "model", "content", "usage", "message", "delta", "stop_reason", "stop_sequence"],
  ...["stop_details", "container", "diagnostics", "context_management", "input_transformations"],
  ...["svc", "extra_content"],
]);

/**
 * Fields that we do not know, for callers of this dialect: Claude Code stops using a feature whose fields a gateway drops
 * (code.claude.com/docs/en/llm-gateway-protocol, "feature pass-through"; `safeguard_results`).
 */
const listOthers = (fields: object): ProviderData =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !knownFields.has(name)));

/** What the provider says of the answer as a whole; callers of this dialect are told it again. */
export function readStart(
  { id, model, diagnostics, input_transformations }: MessageFacts,
  others = {},
): ChatEvent {
  const facts = withData({ ...listOthers(others), ...present({ diagnostics, input_transformations }) });
  return { type: "start", ...(id ? { id } : {}), ...(model ? { model } : {}), ...facts };
}

/** platform.claude.com/docs/en/build-with-claude/handling-stop-reasons */
const finishReasons = createTable<FinishReason>({
  end_turn: "stop",
  stop_sequence: "stop-sequence",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-calls",
  refusal: "refusal",
  pause_turn: "pause",
  // Server-side compaction that was told to stop afterwards.
  compaction: "pause",
});

/** What the last event of an answer says beside its usage. */
export function readBeside(event: MessageDelta): ProviderData {
  const { context_management, input_transformations } = event;
  return { ...listOthers(event), ...present({ context_management, input_transformations }) };
}

/** The end of an answer, with details that only callers of this dialect understand; `beside`: those beside its usage. */
export function readFinish(end: MessageEnd, beside: ProviderData = {}): ChatEvent {
  const { stop_reason: raw, stop_sequence, stop_details, container } = end;
  return {
    type: "finish",
    choice: 0,
    reason: finishReasons[raw ?? ""] ?? "other",
    raw: raw ?? null,
    ...(stop_sequence ? { stopSequence: stop_sequence } : {}),
    ...withData({
      ...listOthers(end),
      ...present({ stop_details, container }),
      ...(Object.keys(beside).length > 0 && { beside }),
    }),
  };
}

/** Merges two reports: the later one's values replace the earlier one's, fields that it leaves out stay. */
export const mergeUsage = (earlier: WireUsage, later: WireUsage): WireUsage => ({
  ...earlier,
  ...present(later),
});

/**
 * The top-level counts, which Anthropic's own clients show. They leave out the pass of a server-side compaction, which is in
 * `raw.iterations`.
 */
export function readUsage(wire: WireUsage): Usage {
  const cacheWrite = wire.cache_creation_input_tokens ?? 0;
  const cachedInput = wire.cache_read_input_tokens ?? 0;
  const input = (wire.input_tokens ?? 0) + cacheWrite + cachedInput;
  const output = wire.output_tokens ?? 0;
  const cacheWriteLong = wire.cache_creation?.ephemeral_1h_input_tokens ?? undefined;
  return {
    input,
    output,
    total: input + output,
    cachedInput,
    cacheWrite,
    ...(cacheWriteLong === undefined ? {} : { cacheWriteLong: Math.min(cacheWriteLong, cacheWrite) }),
    reasoning: wire.output_tokens_details?.thinking_tokens ?? 0,
    raw: wire,
  };
}
