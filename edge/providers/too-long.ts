/**
 * How each wire says that a prompt does not fit its model: Anthropic and Gemini send no code for it, and the aggregator drops the
 * code that there was.
 */
import type { DialectName } from "../../shared/chat.ts";

/** `openai` also has the words of vLLM, llama.cpp and OpenRouter. */
const words: Readonly<Record<DialectName, RegExp>> = {
  openai: /maximum context length|context window|input tokens exceed|available context size/i,
  anthropic: /prompt is too long|exceed context limit/i,
  gemini: /input token count .{0,40}exceeds/i,
};

/** Every wire's words are looked for, since the aggregator passes on those of any provider. */
export const saysTooLong = (message = ""): boolean => Object.values(words).some((said) => said.test(message));
