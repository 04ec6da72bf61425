/** Libraries: each has a small program of its own in test/clients/libraries, which is run where the library lies. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { type Program, type SceneName, sceneNames } from "../program.ts";

type Library = {
  name: string;
  driver: string;
  packages: readonly string[];
  /** The APIs or helpers that its driver can use; each mode is a program of its own in the table. */
  modes?: readonly string[];
  scenes?: readonly SceneName[];
};

const drivers = join(import.meta.dirname, "../libraries");

const programOf = ({ name, driver, packages, scenes = sceneNames }: Library, mode?: string): Program => ({
  name: mode === undefined ? name : `${name}, ${mode}`,
  packages,
  scenes,
  prepare: (_place, _target, { pathOf }) => cp(drivers, pathOf("drivers"), { recursive: true }),
  command: (task, { url, apiKey, model, scene = "text" }, _place, { pathOf }) => ({
    command: process.execPath,
    args: [pathOf(`drivers/${driver}.mjs`), task],
    env: {
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: apiKey,
      // No telemetry.
      OPENAI_AGENTS_DISABLE_TRACING: "1",
      PROMPTFOO_DISABLE_TELEMETRY: "1",
      PROMPTFOO_DISABLE_UPDATE: "1",
      SVC_MODEL: model,
      SVC_SCENE: scene,
      SVC_MODE: mode ?? "",
    },
  }),
});

const aiSdk = (packages: readonly string[]): Library => ({
  name: "ai sdk",
  driver: "ai-sdk",
  packages: [...packages, "zod"],
  modes: ["openai", "openai.chat", "anthropic", "openai-compatible"],
});

const strands = (mode: string, scenes: readonly SceneName[]): Library => ({
  name: "strands",
  driver: "strands",
  packages: ["@strands-agents/sdk", "openai@6", "@anthropic-ai/sdk@0", "zod"],
  modes: [mode],
  scenes,
});

const openai = (version: number, zod: string): Library => ({
  name: "openai",
  driver: "openai",
  packages: [`openai@${version}`, zod],
  modes: ["chat", "responses"],
});

const table: readonly Library[] = [
  {
    name: "agents sdk",
    driver: "agents",
    packages: ["@openai/agents", "zod"],
    modes: ["responses", "chat_completions", "handoffs"],
  },
  {
    name: "langgraph",
    driver: "langgraph",
    packages: [
      "@langchain/langgraph",
      "langchain",
      "@langchain/core",
      "@langchain/openai",
      "@langchain/anthropic",
      "zod",
    ],
    modes: ["createReactAgent", "createAgent", "createAgent with ChatAnthropic"],
  },
  strands("responses", sceneNames),
  // Without tools: of two tool calls in one stream it keeps only the last, from any provider.
  strands("chat", ["text", "stream", "object", "error", "abort"]),
  // Without abort: it does not pass its signal to the request.
  strands("messages", ["text", "stream", "tools", "object", "error"]),
  {
    name: "tanstack ai",
    driver: "tanstack",
    packages: ["@tanstack/ai", "@tanstack/ai-openai", "@tanstack/ai-anthropic", "zod"],
    modes: ["responses", "chat", "messages"],
  },
  { name: "codex sdk", driver: "codex-sdk", packages: ["@openai/codex-sdk"] },
  { name: "claude agent sdk", driver: "claude-agent", packages: ["@anthropic-ai/claude-agent-sdk", "zod"] },
  { name: "@anthropic-ai/sdk", driver: "anthropic", packages: ["@anthropic-ai/sdk", "zod"] },
  {
    name: "llamaindex",
    driver: "llamaindex",
    packages: ["llamaindex", "@llamaindex/openai", "@llamaindex/workflow", "zod"],
  },
  { name: "mastra", driver: "mastra", packages: ["@mastra/core", "zod"] },
  { name: "genkit", driver: "genkit", packages: ["genkit", "@genkit-ai/compat-oai"] },
  {
    name: "instructor",
    driver: "instructor",
    packages: ["@instructor-ai/instructor", "openai", "zod@3"],
    modes: ["TOOLS", "JSON_SCHEMA"],
    scenes: ["object", "error", "abort"],
  },
  {
    name: "promptfoo",
    driver: "promptfoo",
    packages: ["promptfoo"],
    modes: ["openai:chat", "openai:responses", "anthropic:messages"],
    scenes: ["text", "object", "error", "abort"],
  },
  aiSdk(["ai@5", "@ai-sdk/openai@2", "@ai-sdk/anthropic@2", "@ai-sdk/openai-compatible@1"]),
  aiSdk(["ai@6", "@ai-sdk/openai@3", "@ai-sdk/anthropic@3", "@ai-sdk/openai-compatible@2"]),
  aiSdk(["ai@7", "@ai-sdk/openai@4", "@ai-sdk/anthropic@4", "@ai-sdk/openai-compatible@3"]),
  openai(5, "zod@3"),
  openai(6, "zod"),
  openai(7, "zod"),
];

export const libraries = table.flatMap((library) =>
  (library.modes ?? [undefined]).map((mode) => programOf(library, mode)),
);
