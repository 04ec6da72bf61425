/**
 * The differences between servers that speak OpenAI's format. Their values for OpenAI's own API are in dialect.ts, for the aggregator
 * (OpenRouter, or a local server in its place) in aggregator.ts. The rest of the format is the same.
 */
import type { ChatRequest } from "../../../../shared/chat.ts";

export type WireFlavour = {
  /** Takes `n` > 1 in one call. */
  takesChoices: boolean;
  outputLimit: "max_completion_tokens" | "max_tokens";
  takesTopK: boolean;
  /** Takes `custom` tools for models that have them. */
  takesCustomTools: boolean;
  /** Serves many vendors' models: what each takes is read from its list, or known of the vendor. */
  servesVendors: boolean;
  /** Takes function tools together with reasoning for every model: the aggregator calls OpenAI's Responses API. */
  takesToolsWithReasoning: boolean;
  /** Longest `user`; a longer one is refused with 400. */
  maxUserChars: number;
  /** Body fields that ask for usage, beside `stream_options`. */
  usage: Readonly<Record<string, unknown>>;
  writeReasoning(reasoning: ChatRequest["reasoning"], extra: ChatRequest["extra"]): Record<string, unknown>;
  /** Which fields without a place in the hub are sent on. */
  takesExtra(name: string): boolean;
  /** The OpenAI model id behind the provider's, for the quirks of OpenAI's models. */
  openaiModel(model: string): string | undefined;
  messages: MessageFlavour;
};

export type MessageFlavour = {
  /** Takes the role `developer`; otherwise `system`, its older name, is sent. */
  developerRole: boolean;
  /** Takes reasoning of earlier turns, and Gemini's thought signatures. */
  reasoning: boolean;
  /** Some models or servers refuse a history with calls whose arguments are not a JSON object. */
  objectArguments: boolean;
  /** Takes pictures of earlier answers (`images`). */
  answerImages: boolean;
  /** Fields of a content part or tool that are not the hub's, sent on under their own names. */
  partFields: ReadonlySet<string>;
  /** Takes files by URL; OpenAI takes only data and its own file ids. */
  fileUrls: boolean;
  fileIds: boolean;
  /** Takes `original`, the highest detail of a picture. */
  originalDetail: boolean;
  /** Audio formats of `input_audio`; undefined where the list depends on the model. */
  audioFormats: ReadonlySet<string> | undefined;
};
