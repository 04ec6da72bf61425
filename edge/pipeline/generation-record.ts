/** Notes of a chat request while it runs, for whoever asks later how its answer came about. */
import type { ChatEvent, FinishReason } from "../../shared/chat.ts";
import type { GenerationNotes } from "../db/generation-notes.ts";
import { isMessageId } from "../dialects/caller/anthropic/write-end.ts";
import { saysNothing } from "../providers/first-words.ts";
import type { ChatInput } from "./chat-input.ts";

export class GenerationRecord {
  readonly #input: Pick<ChatInput, "modelName" | "request">;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #modelsTried: string[];
  #plannedAt: number | undefined;
  #firstWordAt: number | undefined;
  #answerId: string | undefined;
  #finishReason: FinishReason | null = null;
  #toolsCalled = false;
  #actionSequence: string[] = [];

  constructor(input: Pick<ChatInput, "modelName" | "request">, now: () => number) {
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
      if (!saysNothing(event)) this.#firstWordAt ??= this.#now();
      if (event.type === "start") this.#answerId ??= this.#readAnswerId(event.id);
      if (event.type === "tool-call-start") this.#toolsCalled = true;
      if (event.type === "finish") this.#finishReason = event.reason;
    }
  }

  /** In Anthropic's dialect a message of Claude's goes out under its own id. */
  #readAnswerId(id: string | undefined): string | undefined {
    const isShown = this.#input.request.callerDialect === "anthropic" && id !== undefined;
    return isShown && isMessageId(id) ? id : undefined;
  }

  /** As it stands now: called once, at settlement. */
  read(): GenerationNotes {
    const since = (at: number | undefined) => (at === undefined ? null : at - this.#startedAt);
    return {
      ...(this.#answerId !== undefined && { answerId: this.#answerId }),
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
