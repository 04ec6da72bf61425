// Mastra's agent with two tools, its model named by an address as Mastra's own documents do for services like this one.
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { apiKey, baseURL, model, print, read, scene, task, told, untilInterrupted, write } from "./task.mjs";

const agent = new Agent({
  id: "worker",
  name: "worker",
  instructions: "Work on the files you are told of.",
  model: { id: `svc/${model}`, url: baseURL, apiKey },
  maxRetries: 0,
  tools:
    scene === "object"
      ? {}
      : {
          read_file: createTool({
            id: "read_file",
            description: told.read,
            inputSchema: z.object({ path: z.string() }),
            execute: read,
          }),
          write_file: createTool({
            id: "write_file",
            description: told.write,
            inputSchema: z.object({ path: z.string(), content: z.string() }),
            execute: write,
          }),
        },
});

const options = { maxSteps: 5, abortSignal: untilInterrupted() };
if (scene === "text") console.log((await agent.generate(task, options)).text);
else if (scene === "object") {
  const schema = z.object({ bird: z.string(), legs: z.number() });
  const { object } = await agent.generate(task, { ...options, structuredOutput: { schema } });
  console.log(JSON.stringify(object));
} else {
  const stream = await agent.stream(task, options);
  await print(stream.textStream);
  if (stream.error) throw stream.error;
}
