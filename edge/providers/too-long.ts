/**
 * The words by which servers say that a prompt does not fit their model: few send a code for it, and the aggregator drops the code that
 * there was. All are looked for in every answer, since the aggregator passes on those of any server.
 */
import type { ErrorCode } from "../../shared/errors.ts";

const words: readonly RegExp[] = [
  // OpenAI, DeepSeek, Mistral, OpenRouter, SGLang, MiniMax
  /maximum context length|context window|input tokens exceed|context[_ ]length[_ ]exceeded/i,
  // Groq, Cerebras
  /reduce the length of the messages/i,
  // xAI, vLLM
  /maximum prompt length is \d|maximum model length of|context length is only/i,
  // Together and SGLang, LM Studio, Ollama
  /longer than the model's context length|(?:greater than the|loaded with) context length|context length of only/i,
  /exceeds? (?:the )?(?:available )?context (?:length|size)|context size (?:has been exceeded|is \d+ tokens)/i,
  // Kimi, GLM, Qwen, Poolside
  /exceeded model token limit|prompt exceeds max length|range of input length should be|maximum allowed input length/i,
  // Anthropic, Ollama, Bedrock
  /prompt (?:is )?too long|exceed context limit|input is too long for requested model/i,
  // Gemini
  /input token count .{0,40}exceeds/i,
];

/** Codes under which such a failure may come: LM Studio's has none of its own, llama.cpp's and Ollama's is a 500. */
const unspecific: ReadonlySet<ErrorCode> = new Set([
  "upstream_rejected",
  "request_too_large",
  "upstream_error",
]);

/** Whether a failure's words say that the prompt is too long. A code that says so is read by the provider's dialect. */
export const readsAsTooLong = (code: ErrorCode, message = ""): boolean =>
  unspecific.has(code) && words.some((said) => said.test(message));
