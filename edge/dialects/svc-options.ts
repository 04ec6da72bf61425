/** This service's own options in a body of any dialect; strict, so that a misspelt one is told. */
import { z } from "zod";

export const SvcOptions = z
  .strictObject({
    plan: z.enum(["off", "on"]).nullish(),
    max_llm_calls: z.int().min(2).max(10).nullish(),
  })
  .nullish();
