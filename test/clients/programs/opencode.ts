/** opencode through two of the packages it can speak with: chat completions and messages. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Program, programScenes } from "../program.ts";

const speakingBy = (npm: string): Program => ({
  name: `opencode, ${npm}`,
  packages: ["opencode-ai"],
  scenes: programScenes,
  prepare: async ({ home }, { url, model }) => {
    const directory = join(home, ".config/opencode");
    await mkdir(directory, { recursive: true });
    const options = { baseURL: `${url}/v1`, apiKey: "{env:SVC_API_KEY}" };
    const config = {
      provider: { svc: { npm, options, models: { [model]: {} } } },
      model: `svc/${model}`,
      small_model: `svc/${model}`,
      autoupdate: false,
      share: "disabled",
      permission: { "*": "allow" },
    };
    await writeFile(join(directory, "opencode.json"), JSON.stringify(config));
  },
  command: (task, { apiKey }, _place, { bin }) => ({
    command: bin("opencode"),
    args: ["run", task],
    env: { SVC_API_KEY: apiKey },
  }),
});

export const opencodes = ["@ai-sdk/openai-compatible", "@ai-sdk/anthropic"].map(speakingBy);
