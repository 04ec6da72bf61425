/** This service's own fields in a body of any dialect. */
import { z } from "zod";

/** Strict, so that a misspelt option is told. */
export const SvcOptions = z
  .strictObject({
    plan: z.enum(["off", "on"]).nullish(),
    max_llm_calls: z.int().min(2).max(10).nullish(),
  })
  .nullish();

/** Each name may cost its caller a provider's whole time limit. */
const maxFallbacks = 8;

/** Names of ours to go on with when `model` fails (OpenRouter's convention). */
export const FallbackModels = z.array(z.string().min(1)).max(maxFallbacks).nullish();
