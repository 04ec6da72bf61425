/** The seed of a chat completion: an int64 with OpenAI, so clients with that type draw theirs from all of it. */
import { z } from "zod";

export const Seed = z
  .number()
  .refine(Number.isInteger, { message: "Invalid input: expected int" })
  .min(-(2 ** 63))
  .max(2 ** 63)
  .meta({ type: "integer" });

/** The largest that an int64 and a number here both hold: 2^63 - 1 is parsed as 2^63, which providers would refuse. */
const largest = 2 ** 63 - 1024;

export const readSeed = (seed: number): number => Math.max(-largest, Math.min(seed, largest));
