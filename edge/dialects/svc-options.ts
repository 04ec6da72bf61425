/** This service's own fields in a body of any dialect. */
import { z } from "zod";

/** Strict, so that a misspelt option is an error. */
export const SvcOptions = z
  .strictObject({
    plan: z.enum(["off", "on"]).nullish(),
    max_llm_calls: z.int().min(2).max(10).nullish(),
  })
  .nullish();

/** Each model tried may take a provider's whole timeout. */
const maxFallbacks = 8;

/** Names of our models to try next when `model` fails (OpenRouter's convention). */
export const FallbackModels = z.array(z.string().min(1)).max(maxFallbacks).nullish();
