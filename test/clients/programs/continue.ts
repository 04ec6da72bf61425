/** Continue's `cn` over chat completions and over messages. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Program, programScenes } from "../program.ts";

const speakingAs = (provider: string): Program => ({
  name: `continue, ${provider}`,
  packages: ["@continuedev/cli"],
  scenes: programScenes,
  prepare: async ({ home }, { url, apiKey, model }) => {
    const directory = join(home, ".continue");
    await mkdir(directory, { recursive: true });
    const config = [
      "name: svc",
      "version: 1.0.0",
      "schema: v1",
      "models:",
      "  - name: svc",
      `    provider: ${provider}`,
      `    model: ${model}`,
      `    apiBase: ${url}/v1`,
      `    apiKey: ${apiKey}`,
      "    roles: [chat, edit, apply]",
      "    capabilities: [tool_use]",
    ];
    await writeFile(join(directory, "config.yaml"), `${config.join("\n")}\n`);
  },
  command: (task, _target, { home }, { bin }) => ({
    command: bin("cn"),
    args: ["-p", task, "--auto", "--config", join(home, ".continue/config.yaml")],
    env: { CONTINUE_TELEMETRY_ENABLED: "0" },
  }),
});

export const continues = ["openai", "anthropic"].map(speakingAs);
