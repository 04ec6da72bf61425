/**
 * Shortens a conversation. Codex with its own provider `openai` ends its input with a `compaction_trigger` when the model's
 * window is nearly full. It gives up its work unless exactly one `compaction` item comes back, which then replaces the turns that
 * it drops. OpenAI seals a summary in that item; here the model is asked for a summary in words, and the item carries it.
 * POST /v1/responses/compact (write-compaction.ts) is the same request without the trigger.
 */
import type { ChatEvent, ChatMessage, EventOf } from "../../../../shared/chat.ts";
import { GatewayError } from "../../../../shared/errors.ts";
import type { CompactionOutput, ItemSink, OutputItem } from "./reply-types.ts";
import { readSummary, writeSummary } from "./seals.ts";
import type { Said } from "./write-end.ts";

export const triggerType = "compaction_trigger";

/** Only as the last item: Codex sends no trigger in a history. */
export const asksForCompaction = (input: string | readonly { type: string }[]): boolean =>
  typeof input !== "string" && input.at(-1)?.type === triggerType;

const request =
  "This conversation is getting too long and will be cut. Write down what whoever goes on with the work needs, who will see the " +
  "user's own messages and your text, nothing else: what is asked for and what the user has decided, what was done and found out " +
  "(files, commands, names, values and errors, word for word), what is still to do, and the next step. Write only that; call no tool.";

const say = (text: string): ChatMessage => ({ role: "user", parts: [{ type: "text", text }] });

export const askForSummary = (): ChatMessage => say(request);

/**
 * The summary as a message to the model; undefined for an item that this service did not seal. Planning treats the element as a program's
 * note, so the goal stays what the user last asked for before it.
 */
export const tellSummary = (sealed: string): ChatMessage | undefined => {
  const summary = readSummary(sealed);
  return summary === undefined
    ? undefined
    : say(
        `<conversation_summary>\nYour own notes on the work so far:\n\n${summary}\n</conversation_summary>`,
      );
};

/** Collects the model's text in the one item; thoughts and calls are dropped. */
export class CompactionWriter {
  readonly #id: string;
  readonly #sink: ItemSink;
  readonly #items: OutputItem[] = [];
  #summary = "";
  #reason: EventOf<"finish">["reason"] = "other";

  constructor({ id, sink }: { id: string; sink: ItemSink }) {
    this.#id = id;
    this.#sink = sink;
  }

  write(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (event.type === "text-delta") this.#summary += event.text;
      else if (event.type === "finish") this.#reason = event.reason;
    }
  }

  /** Throws upstream_error for an empty summary: Codex would continue without any memory of its work. */
  end(): void {
    if (this.#summary.trim() === "")
      throw new GatewayError("upstream_error", "The model wrote no summary of the conversation; try again.");
    const item: CompactionOutput = {
      type: "compaction",
      id: `cmp_${this.#id}_0`,
      encrypted_content: writeSummary(this.#summary),
    };
    this.add(item);
  }

  add(item: OutputItem): void {
    const place = { output_index: this.#items.push(item) - 1, item };
    this.#sink.event("response.output_item.added", place);
    this.#sink.event("response.output_item.done", place);
  }

  items(): OutputItem[] {
    return this.#items;
  }

  said(): Said {
    return { reason: this.#reason, refused: false, tier: undefined };
  }
}
