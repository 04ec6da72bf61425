/**
 * How the servers that speak OpenAI's format differ: OpenAI's own API, and the aggregator's (OpenRouter, or a local server in its
 * place). dialect.ts has the values for each; the rest of the format is the same.
 */
import type { ChatRequest } from "../../../../shared/chat.ts";

export type WireFlavour = {
  /** Takes `n` > 1 in one call. */
  takesChoices: boolean;
  outputLimit: "max_completion_tokens" | "max_tokens";
  takesTopK: boolean;
  /** Knows `custom` tools, of the models that do. */
  takesCustomTools: boolean;
  /** Hosts many vendors' models: what each takes is said by its list, or known of the vendor. */
  servesVendors: boolean;
  /** Takes function tools beside reasoning of every model: the aggregator asks OpenAI by its Responses API. */
  takesToolsWithReasoning: boolean;
  /** Longest `user`; a longer one is refused with 400. */
  maxUserChars: number;
  /** Serves a model from several hosts and lets the caller leave some out (`provider.ignore`). */
  takesHosts: boolean;
  /** Body fields that ask for usage, beside `stream_options`. */
  usage: Readonly<Record<string, unknown>>;
  writeReasoning(reasoning: ChatRequest["reasoning"], extra: ChatRequest["extra"]): Record<string, unknown>;
  /** Which of the caller's fields without a place in the hub are sent on. */
  takesExtra(name: string): boolean;
  /** The OpenAI model id behind the provider's, for the quirks of OpenAI's models. */
  openaiModel(model: string): string | undefined;
  messages: MessageFlavour;
};

export type MessageFlavour = {
  /** Knows the role `developer`; else it is sent as `system`, its older name. */
  developerRole: boolean;
  /** Takes reasoning of earlier turns, and Gemini's seals, back. */
  reasoning: boolean;
  /** Refuses a history with calls whose arguments are no JSON object, of some models or with some servers. */
  objectArguments: boolean;
  /** Takes pictures of earlier turns back (`images`). */
  answerImages: boolean;
  /** Fields of a content part or tool that are not the hub's, sent on under their own names. */
  partFields: ReadonlySet<string>;
  /** Takes files by URL; OpenAI takes only data and its own file ids. */
  fileUrls: boolean;
  fileIds: boolean;
  /** Knows `original`, the finest detail of a picture. */
  originalDetail: boolean;
  /** Audio formats of `input_audio`; undefined where the list depends on the model. */
  audioFormats: ReadonlySet<string> | undefined;
};
