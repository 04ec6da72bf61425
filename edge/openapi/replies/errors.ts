/** The three layouts of an error (edge/dialects/caller, edge/routes/account/flat-error.ts write them). */
import { z } from "zod";
import { providerKinds } from "../../../shared/providers.ts";

const amounts = { required_credits: z.number().optional(), available_credits: z.number().optional() };

export const OpenaiError = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    code: z.string().nullable(),
    param: z.string().nullable(),
    details: z.array(z.string()).optional(),
    ...amounts,
  }),
});

export const AnthropicError = z.object({
  type: z.literal("error"),
  error: z.object({
    type: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
    ...amounts,
  }),
  request_id: z.string(),
});

export const FlatError = z.object({
  error: z.string(),
  message: z.string(),
  provider: z.enum(providerKinds).optional(),
});
