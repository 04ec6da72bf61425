// The Agents SDK with its defaults (the Responses API), over chat completions, and with a first agent that hands over to it.
import { Agent, run, setOpenAIAPI, tool } from "@openai/agents";
import { z } from "zod";
import { mode, model, print, read, scene, task, told, untilInterrupted, write } from "./task.mjs";

setOpenAIAPI(mode === "chat_completions" ? mode : "responses");
const worker = new Agent({
  name: "worker",
  instructions: "Work on the files you are told of.",
  model,
  ...(scene === "object"
    ? { outputType: z.object({ bird: z.string(), legs: z.number() }) }
    : {
        tools: [
          tool({
            name: "read_file",
            description: told.read,
            parameters: z.object({ path: z.string() }),
            execute: read,
          }),
          tool({
            name: "write_file",
            description: told.write,
            parameters: z.object({ path: z.string(), content: z.string() }),
            execute: write,
          }),
        ],
      }),
});
const triage = new Agent({ name: "triage", instructions: "Hand over.", model, handoffs: [worker] });
const agent = mode === "handoffs" ? triage : worker;

if (scene === "text" || scene === "object") {
  const { finalOutput } = await run(agent, task);
  console.log(scene === "object" ? JSON.stringify(finalOutput) : finalOutput);
} else {
  const result = await run(agent, task, { stream: true, signal: untilInterrupted() });
  await print(result.toTextStream());
  await result.completed;
  if (mode === "handoffs" && scene === "tools" && result.lastAgent !== worker)
    throw new Error("it was not handed over");
}
