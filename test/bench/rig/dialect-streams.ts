/**
 * One answer as each kind of provider streams it: the same pieces of text, one to a chunk, in the envelope that
 * kind puts around each of them (from the API references). What is compared is the envelopes, not the answers.
 */
import type { ProviderKind } from "../../../shared/providers.ts";

/** Text of one piece, about the length of a token. */
const writePiece = (index: number): string => ` word${index % 100}`;

type Frame = { event?: string; data: object | "[DONE]" };
type WriteFrames = (pieces: readonly string[]) => Frame[];

const created = 1_764_547_200;
const inputTokens = 24;

const openaiChunk = (fields: object): Frame => ({
  data: {
    id: "chatcmpl-CkP2xk3xUqzvT0m1bJw6Hc4Yd8Ns5",
    object: "chat.completion.chunk",
    created,
    model: "gpt-4o-mini-2024-07-18",
    service_tier: "default",
    system_fingerprint: "fp_560af6e559",
    ...fields,
    obfuscation: "Zk3uP",
  },
});
const openaiDelta = (delta: object, finish: string | null = null): Frame =>
  openaiChunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], usage: null });

const routerChunk = (fields: object): Frame => ({
  data: {
    id: "gen-1764547200-Kc0dYw3VbQnXz7LrTf2H",
    provider: "OpenAI",
    model: "openai/gpt-4o-mini",
    object: "chat.completion.chunk",
    created,
    ...fields,
    system_fingerprint: "fp_560af6e559",
  },
});
const routerDelta = (content: string, finish: string | null = null): Frame =>
  routerChunk({
    choices: [
      {
        index: 0,
        delta: { role: "assistant", content },
        finish_reason: finish,
        native_finish_reason: finish,
        logprobs: null,
      },
    ],
  });

const openaiUsage = (output: number) => ({
  prompt_tokens: inputTokens,
  completion_tokens: output,
  total_tokens: inputTokens + output,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
});

const named = (data: { type: string } & Record<string, unknown>): Frame => ({ event: data.type, data });

const geminiChunk = (text: string, output: number, end: object = {}): Frame => ({
  data: {
    candidates: [{ content: { parts: [{ text }], role: "model" }, ...end, index: 0 }],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: output,
      totalTokenCount: inputTokens + output,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: inputTokens }],
    },
    modelVersion: "gemini-2.5-flash",
    responseId: "bH6LaZW8Fp_3nsEPqtaSwQ4",
  },
});

const writers: Readonly<Record<ProviderKind, WriteFrames>> = {
  alpha: (pieces) => [
    openaiDelta({ role: "assistant", content: "", refusal: null }),
    ...pieces.map((content) => openaiDelta({ content })),
    openaiDelta({}, "stop"),
    openaiChunk({ choices: [], usage: openaiUsage(pieces.length) }),
    { data: "[DONE]" },
  ],
  beta: (pieces) => [
    named({
      type: "message_start",
      message: {
        id: "msg_01H3xKq7VbYw2LzNc8RtPdFs",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5-20250929",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: inputTokens, output_tokens: 1 },
      },
    }),
    named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...pieces.map((text) =>
      named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    ),
    named({ type: "content_block_stop", index: 0 }),
    named({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: pieces.length },
    }),
    named({ type: "message_stop" }),
  ],
  gamma: (pieces) => [
    ...pieces.map((text, index) => geminiChunk(text, index + 1)),
    geminiChunk("", pieces.length, { finishReason: "STOP" }),
  ],
  router: (pieces) => [
    ...pieces.map((content) => routerDelta(content)),
    routerDelta("", "stop"),
    routerChunk({ choices: [], usage: { ...openaiUsage(pieces.length), cost: 0.0001 } }),
    { data: "[DONE]" },
  ],
};

/** Frames as they come off the wire; Gemini's end in CRLF. */
export function writeStream(kind: ProviderKind, pieceCount: number): string[] {
  const end = kind === "gamma" ? "\r\n" : "\n";
  const pieces = Array.from({ length: pieceCount }, (_, index) => writePiece(index));
  return writers[kind](pieces).map(({ event, data }) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    return `${event === undefined ? "" : `event: ${event}${end}`}data: ${text}${end}${end}`;
  });
}
