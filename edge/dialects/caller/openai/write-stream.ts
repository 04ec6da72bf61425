/**
 * Hub events as the chunks of a streamed chat completion. The hot path of the gateway: text, reasoning and
 * argument pieces are put together as strings around one `JSON.stringify` of the piece itself.
 *
 * Beyond OpenAI's fields a delta carries `reasoning_content` (DeepSeek's name), `reasoning_details` (OpenRouter's:
 * `index` says which block a piece belongs to, the last piece has its `signature`) and `images`; Gemini's seals are
 * `extra_content.google.thought_signature`, as in Google's own format. Sent back in the next turn, nothing is lost.
 */
import type { ChatEvent, Usage } from "../../../../shared/chat.ts";
import { unwrapInput } from "../../custom-tools.ts";
import { readObject } from "../../json.ts";
import { detailTypes, writeImage, writeNote, writeSeal } from "../../openai-extensions.ts";
import { writeFinishReason, writeUsage } from "./write-end.ts";
import { type Ahead, end, frameReasoning, lookAhead, withLogprobs, writeFacts } from "./write-pieces.ts";

type EventOf<T extends ChatEvent["type"]> = Extract<ChatEvent, { type: T }>;

export type ChatStreamEncoder = {
  /** The opening chunk: the assistant's role and the plan. */
  first(svc: object): string;
  /**
   * The chunks of one batch, "" when it holds nothing for the caller. `usage` events wait for `last`;
   * `error` events are skipped: whoever reads the events answers them with `error`, keys scrubbed.
   */
  encode(events: readonly ChatEvent[]): string;
  /** The closing chunk without choices, then `[DONE]`. */
  last(svc: object, usage?: Usage): string;
  /** A failure after the first chunk, in place of `last`: the stream ends without `[DONE]`. */
  error(body: object): string;
};

export type ChatStreamOptions = {
  id: string;
  /** Unix seconds. */
  created: number;
  /** The model name as the caller sent it. */
  model: string;
  /** The caller asked for `stream_options.include_usage`. */
  includeUsage: boolean;
  /** Names of tools whose argument is free text. */
  customTools?: ReadonlySet<string>;
};

type ChoiceState = {
  /** Everything of a chunk before the delta's own fields. */
  head: string;
  /** Number of the tool call a block is, in order of start: the `index` clients accumulate by. */
  tools: Map<
    number,
    { index: number; written: boolean; custom?: { id: string; name: string; text: string } }
  >;
  /** By block: the JSON around a reasoning piece, before and after its text. */
  reasoning: Map<number, { open: string; close: string }>;
  reasoningCount: number;
  imageCount: number;
  /** The latest block that is text: a seal on it is Gemini's. */
  textBlock: number;
};

export function createChatStreamEncoder(options: ChatStreamOptions): ChatStreamEncoder {
  const { id, created, model } = options;
  const fields = `"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)}`;
  const chunk = `data: {${fields},"choices":[`;
  const choices: ChoiceState[] = [];
  let facts = "";

  const createChoice = (choice: number): ChoiceState => ({
    head: `${chunk}{"index":${choice},"delta":{`,
    tools: new Map(),
    reasoning: new Map(),
    reasoningCount: 0,
    imageCount: 0,
    textBlock: -1,
  });

  /** Choices beyond the first open themselves: `first` speaks for choice 0 alone. */
  const openChoice = (choice: number): string => {
    const state = createChoice(choice);
    choices[choice] = state;
    return choice === 0 ? "" : `${state.head}"role":"assistant","content":""${end}`;
  };

  const encodeReasoning = (state: ChoiceState, event: EventOf<"reasoning-delta">): string => {
    let frame = state.reasoning.get(event.block);
    if (frame === undefined) {
      frame = frameReasoning(event.providerData, state.reasoningCount++);
      state.reasoning.set(event.block, frame);
    }
    if (event.text === "") return "";
    const text = JSON.stringify(event.text);
    return `${state.head}"reasoning_content":${text},"reasoning_details":[${frame.open}${text}${frame.close}}]${end}`;
  };

  const encodeToolStart = (state: ChoiceState, event: EventOf<"tool-call-start">, ahead: Ahead): string => {
    const index = state.tools.size;
    if (options.customTools?.has(event.name)) {
      // Its input is free text inside JSON, readable when that is whole.
      const custom = { id: event.id, name: event.name, text: ahead.text };
      state.tools.set(event.block, { index, written: true, custom });
      return "";
    }
    state.tools.set(event.block, { index, written: ahead.text !== "" });
    const call = {
      index,
      id: event.id,
      type: "function",
      function: { name: event.name, arguments: ahead.text },
      ...(ahead.signature !== undefined && writeSeal(ahead.signature)),
    };
    return `${state.head}"tool_calls":[${JSON.stringify(call)}]${end}`;
  };

  const encodeArguments = (state: ChoiceState, block: number, text: string): string => {
    const call = state.tools.get(block);
    if (call === undefined || text === "") return "";
    if (call.custom !== undefined) {
      call.custom.text += text;
      return "";
    }
    call.written = true;
    return `${state.head}"tool_calls":[{"index":${call.index},"function":{"arguments":${JSON.stringify(text)}}}]${end}`;
  };

  const endTool = (state: ChoiceState, block: number): string => {
    const call = state.tools.get(block);
    if (call?.custom === undefined) return call?.written === false ? encodeArguments(state, block, "{}") : "";
    const { id, name, text } = call.custom;
    const custom = { index: call.index, id, type: "custom", custom: { name, input: unwrapInput(text) } };
    return `${state.head}"tool_calls":[${JSON.stringify(custom)}]${end}`;
  };

  const encodeSignature = (state: ChoiceState, { block, signature }: EventOf<"signature">): string => {
    const call = state.tools.get(block);
    if (call !== undefined) {
      return `${state.head}"tool_calls":[${JSON.stringify({ index: call.index, ...writeSeal(signature) })}]${end}`;
    }
    if (block === state.textBlock)
      return `${state.head}${JSON.stringify(writeSeal(signature)).slice(1, -1)}${end}`;
    const frame = state.reasoning.get(block) ?? frameReasoning(undefined, state.reasoningCount++);
    state.reasoning.set(block, frame);
    const seal = `,"signature":${JSON.stringify(signature)}`;
    return `${state.head}"reasoning_details":[${frame.open}""${seal}${frame.close}}]${end}`;
  };

  const encodeRedacted = (state: ChoiceState, event: EventOf<"redacted-reasoning">): string => {
    const rest = readObject(event.providerData?.reasoning_detail);
    const detail = { type: detailTypes.encrypted, data: event.data, index: state.reasoningCount++, ...rest };
    return `${state.head}"reasoning_details":[${JSON.stringify(detail)}]${end}`;
  };

  /** Our own dialect's blocks are fields of the delta; of another's only pictures and notes have a place here. */
  const encodeOpaque = (state: ChoiceState, event: EventOf<"opaque">): string => {
    const { dialect, data, annotation, image } = event;
    const write = (fields: object) => `${state.head}${JSON.stringify(fields).slice(1, -1)}${end}`;
    if (dialect === "openai") return write(data);
    if (image !== undefined) return write({ images: [writeImage(image, state.imageCount++)] });
    return annotation === true ? write({ extra_content: writeNote(dialect, data) }) : "";
  };

  const encodeFinish = (state: ChoiceState, { choice, reason, raw }: EventOf<"finish">): string => {
    const finish = `"finish_reason":"${writeFinishReason(reason, state.tools.size > 0)}"`;
    return `${chunk}{"index":${choice},"delta":{},${finish},"native_finish_reason":${JSON.stringify(raw)}}]${facts}}\n\n`;
  };

  const encodeRest = (state: ChoiceState, event: ChatEvent): string => {
    switch (event.type) {
      case "reasoning-delta":
        return encodeReasoning(state, event);
      case "tool-call-delta":
        return encodeArguments(state, event.block, event.arguments);
      case "tool-call-end":
        return endTool(state, event.block);
      case "signature":
        return encodeSignature(state, event);
      case "redacted-reasoning":
        return encodeRedacted(state, event);
      case "logprobs":
        return withLogprobs(`${state.head}${end}`, event.data);
      case "opaque":
        return encodeOpaque(state, event);
      case "finish":
        return encodeFinish(state, event);
      default:
        return "";
    }
  };

  return {
    first: (svc) =>
      `${chunk}{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"svc":${JSON.stringify(svc)}}\n\n`,
    encode(events) {
      let text = "";
      for (let at = 0; at < events.length; at++) {
        const event = events[at] as ChatEvent;
        if (event.type === "start") {
          facts = writeFacts(event);
          continue;
        }
        if (event.type === "usage" || event.type === "error") continue;
        if (choices[event.choice] === undefined) text += openChoice(event.choice);
        const state = choices[event.choice] as ChoiceState;
        if (event.type === "text-delta" || event.type === "refusal-delta") {
          const refused = event.type === "refusal-delta";
          if (!refused) state.textBlock = event.block;
          if (event.text === "") continue;
          const piece = `${state.head}${refused ? '"refusal":' : '"content":'}${JSON.stringify(event.text)}${end}`;
          // A piece may bring its log probabilities in the event after it: one chunk for both.
          const next = events[at + 1];
          const paired = next?.type === "logprobs" && next.choice === event.choice;
          text += paired ? withLogprobs(piece, next.data) : piece;
          if (paired) at += 1;
        } else if (event.type === "tool-call-start") {
          const ahead = lookAhead(events, at, event);
          at += ahead.count;
          text += encodeToolStart(state, event, ahead);
        } else text += encodeRest(state, event);
      }
      return text;
    },
    last(svc, usage) {
      const counts =
        options.includeUsage && usage !== undefined ? `,"usage":${JSON.stringify(writeUsage(usage))}` : "";
      return `${chunk}],"svc":${JSON.stringify(svc)}${counts}}\n\ndata: [DONE]\n\n`;
    },
    error: (body) => `data: ${JSON.stringify(body)}\n\n`,
  };
}
