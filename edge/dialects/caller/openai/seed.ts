/** The seed of a chat completion: an int64 with OpenAI, so clients draw seeds from that whole range. */
import { z } from "zod";

export const Seed = z
  .number()
  .refine(Number.isInteger, { message: "Invalid input: expected int" })
  .min(-(2 ** 63))
  .max(2 ** 63)
  .meta({ type: "integer" });

/** The largest integer that both an int64 and a JavaScript number hold: 2^63 - 1 is parsed as 2^63, which providers would refuse. */
const largest = 2 ** 63 - 1024;

export const readSeed = (seed: number): number => Math.max(-largest, Math.min(seed, largest));
