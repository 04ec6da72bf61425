/**
 * generateContent answers as the provider sends them: minimal and loose, so a new field or part never
 * breaks a stream (API reference: ai.google.dev/api/generate-content).
 */
import { z } from "zod";

const count = z.number().nullish().catch(null);
const details = z
  .array(z.looseObject({ modality: z.string().nullish(), tokenCount: count }))
  .nullish()
  .catch(null);

export const UsageMetadata = z.looseObject({
  promptTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
  toolUsePromptTokenCount: count,
  cachedContentTokenCount: count,
  totalTokenCount: count,
  promptTokensDetails: details,
  candidatesTokensDetails: details,
});
export type UsageMetadata = z.infer<typeof UsageMetadata>;

/** A piece of one argument; the value is in whichever `…Value` is given. */
export const PartialArg = z.looseObject({
  jsonPath: z.string(),
  stringValue: z.string().nullish(),
  numberValue: z.number().nullish(),
  boolValue: z.boolean().nullish(),
  nullValue: z.unknown().optional(),
  willContinue: z.boolean().nullish(),
});
export type PartialArg = z.infer<typeof PartialArg>;

export const FunctionCall = z.looseObject({
  id: z.string().nullish(),
  name: z.string().nullish(),
  args: z.record(z.string(), z.unknown()).nullish(),
  partialArgs: z.array(PartialArg).nullish(),
  willContinue: z.boolean().nullish(),
});
export type FunctionCall = z.infer<typeof FunctionCall>;

export const Part = z.looseObject({
  text: z.string().nullish(),
  thought: z.boolean().nullish(),
  thoughtSignature: z.string().nullish(),
  functionCall: FunctionCall.nullish(),
});
export type Part = z.infer<typeof Part>;

/** Bytes in an answer: a picture that the model made. Checked only for a part without text. */
export const InlineData = z.looseObject({ mimeType: z.string(), data: z.string() });

export const Candidate = z.looseObject({
  index: z.number().nullish(),
  content: z.looseObject({ parts: z.array(Part).nullish() }).nullish(),
  finishReason: z.string().nullish(),
  finishMessage: z.string().nullish(),
  logprobsResult: z.unknown().optional(),
});
export type Candidate = z.infer<typeof Candidate>;

export const WireError = z.looseObject({
  code: z.number().nullish().catch(null),
  status: z.string().nullish(),
  message: z.string().nullish(),
  /** google.rpc.ErrorInfo has a reason, google.rpc.RetryInfo a delay ("13s"). */
  details: z
    .array(z.looseObject({ reason: z.string().nullish(), retryDelay: z.string().nullish() }))
    .nullish()
    .catch(null),
});
export type WireError = z.infer<typeof WireError>;

/** A chunk of a stream, or a whole JSON reply: the same shape. */
export const GenerateContentResponse = z.compile(
  z.looseObject({
    candidates: z.array(Candidate).nullish(),
    promptFeedback: z.looseObject({ blockReason: z.string().nullish() }).nullish(),
    usageMetadata: UsageMetadata.nullish(),
    modelVersion: z.string().nullish(),
    responseId: z.string().nullish(),
    createTime: z.string().nullish(),
    error: WireError.nullish(),
  }),
);
export type GenerateContentResponse = z.infer<typeof GenerateContentResponse>;

export const ErrorBody = z.looseObject({ error: WireError });
