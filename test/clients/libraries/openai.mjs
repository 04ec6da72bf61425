// The openai client by its helpers: parse, stream and runTools of chat completions; parse, stream and a loop over responses.
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { apiKey, baseURL, mode, model, read, scene, task, told, untilInterrupted, write } from "./task.mjs";

const client = new OpenAI({ apiKey, baseURL, maxRetries: 1 });
const signal = untilInterrupted();
const say = (text) => process.stdout.write(text);
const typed = z.object({ bird: z.string(), legs: z.number() });
const work = { read_file: read, write_file: write };
const schemaOf = (...names) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names,
  additionalProperties: false,
});
const tools = [
  { name: "read_file", description: told.read, parameters: schemaOf("path") },
  { name: "write_file", description: told.write, parameters: schemaOf("path", "content") },
];

const asked = { model, messages: [{ role: "user", content: task }] };
const chat = {
  text: async () => say((await client.chat.completions.create(asked, { signal })).choices[0].message.content),
  object: async () => {
    const response_format = zodResponseFormat(typed, "seen");
    const { choices } = await client.chat.completions.parse({ ...asked, response_format }, { signal });
    say(JSON.stringify(choices[0].message.parsed));
  },
  tools: async () => {
    const runnable = tools.map((tool) => ({
      type: "function",
      function: { ...tool, parse: JSON.parse, function: work[tool.name] },
    }));
    const runner = client.chat.completions.runTools({ ...asked, tools: runnable, stream: true }, { signal });
    await runner.on("content", say).done();
  },
  stream: () => client.chat.completions.stream(asked, { signal }).on("content", say).done(),
};

const responses = {
  text: async () => say((await client.responses.create({ model, input: task }, { signal })).output_text),
  object: async () => {
    const text = { format: zodTextFormat(typed, "seen") };
    const { output_parsed: parsed } = await client.responses.parse({ model, input: task, text }, { signal });
    say(JSON.stringify(parsed));
  },
  tools: async () => {
    const input = [{ role: "user", content: task }];
    const offered = tools.map((tool) => ({ type: "function", strict: true, ...tool }));
    for (let calls = [{}]; calls.length > 0; ) {
      const request = { model, input, tools: offered, include: ["reasoning.encrypted_content"] };
      const { output } = await client.responses.stream(request, { signal }).finalResponse();
      calls = output.filter(({ type }) => type === "function_call");
      input.push(...output);
      for (const { call_id, name, arguments: words } of calls)
        input.push({ type: "function_call_output", call_id, output: await work[name](JSON.parse(words)) });
      // The client's fifth version has no output_text on what it has streamed.
      for (const { content = [] } of output) for (const { text = "" } of content) say(text);
    }
  },
  stream: async () => {
    const events = client.responses.stream({ model, input: task }, { signal });
    await events.on("response.output_text.delta", ({ delta }) => say(delta)).finalResponse();
  },
};

const plays = mode === "chat" ? chat : responses;
await (plays[scene] ?? plays.stream)();
