/** Libraries that are no dependency of ours: each has a small program of its own, which is run where the library lies. */
import type { Program } from "../program.ts";

const libraryOf = (name: string, driver: string, packages: readonly string[]): Program => ({
  name,
  packages,
  driver,
  command: (task, { url, apiKey, model }, _place, { pathOf }) => ({
    command: process.execPath,
    args: [pathOf(driver), task],
    env: {
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: apiKey,
      // Its traces would go to OpenAI.
      OPENAI_AGENTS_DISABLE_TRACING: "1",
      SVC_MODEL: model,
    },
  }),
});

export const libraries = [
  libraryOf("agents sdk", "agents.mjs", ["@openai/agents", "zod"]),
  libraryOf("langgraph", "langgraph.mjs", [
    "@langchain/langgraph",
    "@langchain/core",
    "@langchain/openai",
    "zod",
  ]),
];
