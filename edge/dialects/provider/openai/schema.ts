/**
 * chat.completion.chunk and chat.completion as OpenAI and the servers that imitate it send them: minimal and loose.
 * Read by `readLeniently`, so every field may be missing. Fields that are only passed on or read by hand (usage, errors, log
 * probabilities, citations, signatures) are not in the schema: each field of it costs 15 ns a chunk
 * (platform.openai.com/docs/api-reference/chat).
 */
import { z } from "zod";

const text = z.string().nullish();
const list = <Entry extends z.ZodType>(entry: Entry) => z.array(entry.nullable()).nullish();

export const WireToolCall = z.looseObject({
  index: z.int().min(0).nullish(),
  id: text,
  function: z.looseObject({ name: text }).nullish(),
  custom: z.looseObject({ name: text, input: text }).nullish(),
});
export type WireToolCall = z.infer<typeof WireToolCall>;

/** A block of OpenRouter's `reasoning_details`. */
export const WireDetail = z.looseObject({ text, summary: text, signature: text, data: text });
export type WireDetail = z.infer<typeof WireDetail>;

/** Mistral's `content` if it is a list. */
const ContentPart = z.looseObject({ type: text, text, thinking: list(z.looseObject({ text })) });

/** The content of a choice: a piece of it in a stream, all of it in a reply. */
const Delta = z.looseObject({
  content: z.union([z.string(), z.array(ContentPart)]).nullish(),
  refusal: text,
  reasoning: text,
  reasoning_content: text,
  reasoning_details: list(WireDetail),
  tool_calls: list(WireToolCall),
});
export type Delta = z.infer<typeof Delta>;

const choice = { index: z.int().min(0).nullish(), finish_reason: text, native_finish_reason: text };
/** Groq's place for usage in a stream. */
const x_groq = z.looseObject({}).nullish();

export const Chunk = z.compile(
  z.looseObject({ choices: list(z.looseObject({ ...choice, delta: Delta.nullish() })), x_groq }),
);
export type Chunk = z.infer<typeof Chunk>;
export type Choice = NonNullable<NonNullable<Chunk["choices"]>[number]>;

/** A whole reply. */
export const Completion = z.looseObject({
  choices: list(z.looseObject({ ...choice, message: Delta.nullish() })),
  x_groq,
});

/** Facts of a chunk or a reply about the whole answer, read once. `created`: some servers send numbers as text. */
export const AnswerFacts = z.looseObject({
  id: text,
  model: text,
  created: z.union([z.number(), z.string()]).nullish(),
  service_tier: text,
  system_fingerprint: text,
  provider: text,
});

const tag = z.union([z.string(), z.number()]).nullish();

/** `metadata` is OpenRouter's, a list in `detail` FastAPI's, in which many local servers are written. */
export const WireError = z.looseObject({
  code: tag,
  status: tag,
  type: tag,
  message: text,
  detail: z.union([z.string(), z.array(z.looseObject({ loc: z.array(tag).nullish(), msg: text }))]).nullish(),
  metadata: z
    .looseObject({
      error_type: text,
      provider_name: text,
      raw: text,
      reasons: z.array(z.string()).nullish(),
      flagged_input: text,
    })
    .nullish(),
});
export type WireError = z.infer<typeof WireError>;
