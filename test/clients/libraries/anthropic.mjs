// The Anthropic client by its helpers: parse, stream and the runner of tools.
import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { z } from "zod";
import { apiKey, baseURL, model, read, scene, task, told, untilInterrupted, write } from "./task.mjs";

const client = new Anthropic({ apiKey, baseURL: new URL(baseURL).origin, maxRetries: 1 });
const signal = untilInterrupted();
const say = (text) => process.stdout.write(text);
const sayAll = ({ content }) => {
  for (const { text = "" } of content) say(text);
};
const path = z.string();
const content = z.string();
const tools = [
  betaZodTool({ name: "read_file", description: told.read, inputSchema: z.object({ path }), run: read }),
  betaZodTool({
    name: "write_file",
    description: told.write,
    inputSchema: z.object({ path, content }),
    run: write,
  }),
];
const asked = { model, max_tokens: 4096, messages: [{ role: "user", content: task }] };

const plays = {
  text: async () => sayAll(await client.messages.create(asked, { signal })),
  stream: () => client.messages.stream(asked, { signal }).on("text", say).finalMessage(),
  tools: async () => {
    const runner = client.beta.messages.toolRunner({ ...asked, tools, stream: true }, { signal });
    for await (const stream of runner) sayAll(await stream.finalMessage());
  },
  object: async () => {
    const format = zodOutputFormat(z.object({ bird: z.string(), legs: z.number() }));
    const { parsed_output: parsed } = await client.messages.parse(
      { ...asked, output_config: { format } },
      { signal },
    );
    say(JSON.stringify(parsed));
  },
};
await (plays[scene] ?? plays.stream)();
