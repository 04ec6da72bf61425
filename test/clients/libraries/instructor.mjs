// Instructor around the openai client, in two of its modes: an object whole and as it grows.
import createInstructor from "@instructor-ai/instructor";
import OpenAI from "openai";
import { z } from "zod";
import { apiKey, baseURL, mode, model, scene, task, untilInterrupted } from "./task.mjs";

const client = createInstructor({ client: new OpenAI({ apiKey, baseURL, maxRetries: 1 }), mode });
const request = {
  model,
  messages: [{ role: "user", content: task }],
  response_model: { name: "Seen", schema: z.object({ bird: z.string(), legs: z.number() }) },
};
const signal = untilInterrupted();
const words = ({ bird, legs }) => JSON.stringify({ bird, legs });

if (scene === "object") {
  const whole = await client.chat.completions.create(request, { signal });
  let grown;
  for await (const part of await client.chat.completions.create({ ...request, stream: true }, { signal }))
    grown = part;
  if (words(grown) !== words(whole)) throw new Error(`grown to ${words(grown)}`);
  console.log(words(whole));
} else console.log(await client.chat.completions.create(request, { signal }));
