/** Notes how one answer comes about, from its events as they pass: for the ledger row, and so for GET /v1/generation. */
import type { ChatEvent, FinishReason } from "../../shared/chat.ts";
import type { GenerationNotes } from "../db/generation-notes.ts";
import { isMessageId } from "../dialects/caller/anthropic/write-end.ts";
import { isContent } from "../providers/failover.ts";
import type { ChatInput } from "./chat-input.ts";

type RecordedInput = Pick<ChatInput, "modelName" | "request" | "answerIdPrefix">;

export class GenerationNotesBuilder {
  readonly #input: RecordedInput;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #modelsTried: string[];
  #plannedAt: number | undefined;
  #firstWordAt: number | undefined;
  #answerId: string | undefined;
  #finishReason: FinishReason | null = null;
  #toolsCalled = false;
  #actionSequence: string[] = [];

  constructor(input: RecordedInput, now: () => number) {
    this.#input = input;
    this.#modelsTried = [input.modelName];
    this.#now = now;
    this.#startedAt = now();
  }

  turnedTo(model: string): void {
    this.#modelsTried.push(model);
    this.#answerId = undefined;
  }

  planned(actions: readonly string[]): void {
    this.#plannedAt ??= this.#now();
    this.#actionSequence = [...actions];
  }

  observe(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (event.type === "error") continue;
      if (isContent(event)) this.#firstWordAt ??= this.#now();
      if (event.type === "start") this.#answerId ??= this.#readAnswerId(event.id);
      if (event.type === "tool-call-start") this.#toolsCalled = true;
      if (event.type === "finish") this.#finishReason = event.reason;
    }
  }

  /** Claude's own message id, which callers of Anthropic's dialect get as the answer's id. */
  #readAnswerId(id: string | undefined): string | undefined {
    const isShown = this.#input.request.callerDialect === "anthropic" && id !== undefined;
    return isShown && isMessageId(id) ? id : undefined;
  }

  /** The notes so far. Called once, at settlement. */
  read(): GenerationNotes {
    const since = (at: number | undefined) => (at === undefined ? null : at - this.#startedAt);
    return {
      ...(this.#answerId !== undefined && { answerId: this.#answerId }),
      idPrefix: this.#input.answerIdPrefix,
      modelsTried: [...this.#modelsTried],
      streamed: this.#input.request.stream,
      finishReason: this.#finishReason,
      toolsCalled: this.#toolsCalled,
      planningMs: since(this.#plannedAt),
      firstByteMs: since(this.#firstWordAt),
      totalMs: this.#now() - this.#startedAt,
      actionSequence: this.#actionSequence,
    };
  }
}
