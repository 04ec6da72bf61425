// The Claude Agent SDK, which runs the Claude Code that it ships: two tools of the caller's own as an MCP server, typed answers.
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import { apiKey, baseURL, model, read, scene, task, told, untilInterrupted, write } from "./task.mjs";

const resultOf = (work) => async (input) => ({ content: [{ type: "text", text: await work(input) }] });
const path = z.string();
const files = createSdkMcpServer({
  name: "files",
  tools: [
    tool("read_file", told.read, { path }, resultOf(read)),
    tool("write_file", told.write, { path, content: z.string() }, resultOf(write)),
  ],
});
const schema = {
  type: "object",
  properties: { bird: { type: "string" }, legs: { type: "integer" } },
  required: ["bird", "legs"],
};
const abortController = new AbortController();
untilInterrupted().addEventListener("abort", () => abortController.abort());

const options = {
  model,
  abortController,
  includePartialMessages: scene !== "text" && scene !== "object",
  // None of its own tools, and no settings of the machine's.
  tools: [],
  settingSources: [],
  ...(scene === "object"
    ? { outputFormat: { type: "json_schema", schema } }
    : { mcpServers: { files }, allowedTools: ["mcp__files"] }),
  env: {
    ...process.env,
    ANTHROPIC_BASE_URL: new URL(baseURL).origin,
    ANTHROPIC_AUTH_TOKEN: apiKey,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  },
};
for await (const message of query({ prompt: task, options })) {
  if (message.type === "stream_event") process.stdout.write(message.event.delta?.text ?? "");
  if (message.type !== "result") continue;
  if (message.is_error) throw new Error(message.result ?? message.errors.join());
  console.log(scene === "object" ? JSON.stringify(message.structured_output) : message.result);
}
