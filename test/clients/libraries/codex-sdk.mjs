// The Codex SDK, which runs the Codex that it ships at another address: its own tools, and answers of a schema.
import { Codex } from "@openai/codex-sdk";
import { apiKey, baseURL, model, scene, task, untilInterrupted } from "./task.mjs";

const outputSchema = {
  type: "object",
  properties: { bird: { type: "string" }, legs: { type: "integer" } },
  required: ["bird", "legs"],
  additionalProperties: false,
};
const thread = new Codex({ apiKey, baseUrl: baseURL }).startThread({
  model,
  skipGitRepoCheck: true,
  sandboxMode: "danger-full-access",
  approvalPolicy: "never",
});
const options = { signal: untilInterrupted(), ...(scene === "object" && { outputSchema }) };

if (scene === "text" || scene === "object") console.log((await thread.run(task, options)).finalResponse);
else {
  const { events } = await thread.runStreamed(task, options);
  for await (const { type, item, error } of events) {
    if (type === "item.completed" && item.type === "agent_message") console.log(item.text);
    if (type === "turn.failed") throw new Error(error.message);
  }
}
