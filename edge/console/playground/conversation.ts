/**
 * One conversation: its messages, its answers, and the running request. Two side by side compare an LLM that gets the plan
 * with one that does not. Text goes directly to its AnswerText; everything else is a new value in the store.
 */
import { openApi } from "../api/call-api.ts";
import { readChatStream } from "../api/read-chat-stream.ts";
import { rememberRequest } from "../api/sent-requests.ts";
import { createStore, type Store } from "../store.ts";
import { type AnswerState, waitingAnswer } from "./answer-state.ts";
import { applyChunk } from "./apply-chunk.ts";
import type { RequestSettings, WireMessage, WireToolCall } from "./draft.ts";

export type Turn =
  | { kind: "user"; id: number; text: string }
  | { kind: "results"; id: number; results: readonly ToolResult[] }
  | { kind: "answer"; id: number; answer: AnswerState };
export type ToolResult = { call: WireToolCall; content: string };

export type ConversationState = { turns: readonly Turn[]; running: boolean };

/** `on`: the LLM gets the plan, as for any caller. `off`: planned and charged alike, but the LLM does not get it. */
export type PlanSwitch = "on" | "off";

const streamCut =
  "The connection was cut before the answer was complete. What was produced until then is charged.";

export class Conversation {
  readonly plan: PlanSwitch;
  readonly state: Store<ConversationState> = createStore<ConversationState>({ turns: [], running: false });
  /** The conversation so far: the messages of the next request. */
  messages: WireMessage[] = [];
  settings: RequestSettings | undefined;
  #abort: AbortController | undefined;
  #nextId = 1;
  readonly #now: () => number;

  constructor(plan: PlanSwitch, now: () => number = () => performance.now()) {
    this.plan = plan;
    this.#now = now;
  }

  /** Begins a new conversation. */
  start(settings: RequestSettings, messages: readonly WireMessage[]): Promise<void> {
    this.stop();
    this.settings = settings;
    this.messages = [...messages];
    const goal = messages.findLast(({ role }) => role === "user")?.content ?? "";
    this.state.set({ turns: [{ kind: "user", id: this.#nextId++, text: goal }], running: false });
    return this.#ask();
  }

  reply(text: string): Promise<void> {
    this.messages.push({ role: "user", content: text });
    this.#addTurn({ kind: "user", id: this.#nextId++, text });
    return this.#ask();
  }

  sendResults(results: readonly ToolResult[]): Promise<void> {
    for (const { call, content } of results)
      this.messages.push({ role: "tool", tool_call_id: call.id, content });
    this.#addTurn({ kind: "results", id: this.#nextId++, results });
    return this.#ask();
  }

  /** Sends the last request again after an answer that failed or was stopped. @param model replaces the conversation's from now on */
  retry(model?: string): Promise<void> {
    if (model !== undefined) this.settings = { ...this.settings, model };
    this.#change({ turns: this.state.get().turns.slice(0, -1) });
    return this.#ask();
  }

  /** Removes the user's last message and its answer, which failed or was stopped. @returns its text, to be edited and sent again */
  takeBack(): string {
    const { turns } = this.state.get();
    const said = turns.at(-2);
    this.messages.pop();
    this.#change({ turns: turns.slice(0, -2) });
    return said?.kind === "user" ? said.text : "";
  }

  stop(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  async #ask(): Promise<void> {
    this.stop();
    const abort = new AbortController();
    this.#abort = abort;
    const id = this.#nextId++;
    const startedAt = this.#now();
    const sinceStart = () => this.#now() - startedAt;
    let answer = waitingAnswer();
    const update = (next: AnswerState) => {
      if (next === answer) return;
      answer = next;
      this.#showAnswer(id, answer);
    };
    this.#addTurn({ kind: "answer", id, answer });
    this.#change({ running: true });

    const ended = await this.#stream(abort.signal, (next) => update(next(answer, sinceStart())));
    update({ ...answer, ...ended, totalMs: sinceStart() });
    if (answer.phase === "done") this.#remember(answer);
    if (this.#abort !== abort && this.#abort !== undefined) return;
    this.#abort = undefined;
    this.#change({ running: false });
  }

  /** Sends a request and passes each change on. @returns how it ended */
  async #stream(
    signal: AbortSignal,
    change: (next: (answer: AnswerState, atMs: number) => AnswerState) => void,
  ): Promise<Pick<AnswerState, "phase" | "error" | "status" | "requestId">> {
    const body = {
      ...this.settings,
      messages: this.messages,
      stream: true,
      stream_options: { include_usage: true },
    };
    const headers = this.plan === "off" ? { "x-svc-plan": "off" } : {};
    const opened = await openApi("/v1/chat/completions", { method: "POST", body, headers, signal });
    if (signal.aborted) return { phase: "stopped" };
    if (!opened.ok) {
      const { message: error, status, requestId } = opened;
      return { phase: "failed", error, status, ...(requestId && { requestId }) };
    }
    const requestId = opened.headers.get("x-request-id");
    const said = this.messages.findLast(({ role }) => role === "user")?.content ?? "";
    rememberRequest(requestId, this.plan === "off" ? `Without the plan: ${said}` : said);
    const unsupported = opened.headers.get("x-svc-unsupported");
    change((answer) => ({ ...answer, ...(requestId && { requestId }), ...(unsupported && { unsupported }) }));
    try {
      const end = await readChatStream(opened.value.body!, (chunk) =>
        change((answer, atMs) => applyChunk(answer, chunk, atMs)),
      );
      if (end.how === "done") return { phase: "done" };
      if (end.how === "error") return { phase: "failed", error: end.message };
      return { phase: "failed", error: streamCut };
    } catch {
      return signal.aborted ? { phase: "stopped" } : { phase: "failed", error: streamCut };
    }
  }

  /** Adds a complete answer to the conversation. */
  #remember({ text, toolCalls }: AnswerState): void {
    const content = text.toString();
    this.messages.push({
      role: "assistant",
      content: content === "" ? null : content,
      ...(toolCalls.length > 0 && { tool_calls: [...toolCalls] }),
    });
  }

  #change(changes: Partial<ConversationState>): void {
    this.state.set({ ...this.state.get(), ...changes });
  }

  #addTurn(turn: Turn): void {
    this.#change({ turns: [...this.state.get().turns, turn] });
  }

  #showAnswer(id: number, answer: AnswerState): void {
    this.#change({
      turns: this.state
        .get()
        .turns.map((turn) => (turn.id === id ? { kind: "answer" as const, id, answer } : turn)),
    });
  }
}
