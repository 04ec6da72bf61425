// Genkit through its plugin for services that speak as OpenAI does, with two tools.
import { openAICompatible } from "@genkit-ai/compat-oai";
import { genkit, z } from "genkit";
import { apiKey, baseURL, model, print, read, scene, task, told, untilInterrupted, write } from "./task.mjs";

const ai = genkit({ plugins: [openAICompatible({ name: "svc", apiKey, baseURL })] });
const tools = [
  ai.defineTool(
    { name: "read_file", description: told.read, inputSchema: z.object({ path: z.string() }) },
    read,
  ),
  ai.defineTool(
    {
      name: "write_file",
      description: told.write,
      inputSchema: z.object({ path: z.string(), content: z.string() }),
    },
    write,
  ),
];

const request = { model: `svc/${model}`, prompt: task, abortSignal: untilInterrupted() };
if (scene === "text") console.log((await ai.generate(request)).text);
else if (scene === "object") {
  const schema = z.object({ bird: z.string(), legs: z.number() });
  const { output } = await ai.generate({ ...request, output: { schema } });
  console.log(JSON.stringify(output));
} else {
  const { stream, response } = ai.generateStream({ ...request, tools });
  await print(
    (async function* () {
      for await (const { text } of stream) yield text;
    })(),
  );
  await response;
}
