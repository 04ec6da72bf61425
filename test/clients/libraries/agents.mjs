// The Agents SDK with its defaults (the Responses API, streamed): one agent with two tools, led by the task of its command line.
import { readFile, writeFile } from "node:fs/promises";
import { Agent, run, tool } from "@openai/agents";
import { z } from "zod";

const agent = new Agent({
  name: "worker",
  instructions: "Work on the files you are told of.",
  model: process.env.SVC_MODEL,
  tools: [
    tool({
      name: "read_file",
      description: "The content of a file",
      parameters: z.object({ path: z.string() }),
      execute: ({ path }) => readFile(path, "utf8"),
    }),
    tool({
      name: "write_file",
      description: "Writes a file",
      parameters: z.object({ path: z.string(), content: z.string() }),
      execute: async ({ path, content }) => {
        await writeFile(path, content);
        return "written";
      },
    }),
  ],
});
const result = await run(agent, process.argv[2], { stream: true });
for await (const text of result.toTextStream()) process.stdout.write(text);
await result.completed;
