/** Kimi Code by a provider of its user's, in each way it can speak to this service. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Program, programScenes } from "../program.ts";

const speakingBy = ([type, path]: readonly [string, string]): Program => ({
  name: `kimi, ${type}`,
  packages: ["@moonshot-ai/kimi-code"],
  scenes: programScenes,
  prepare: async ({ home }, { url, apiKey, model }) => {
    const directory = join(home, ".kimi-code");
    await mkdir(directory, { recursive: true });
    const lines = [
      'default_model = "svc"',
      "telemetry = false",
      "[providers.svc]",
      `type = "${type}"`,
      `base_url = "${url}${path}"`,
      `api_key = "${apiKey}"`,
      "[models.svc]",
      'provider = "svc"',
      `model = "${model}"`,
      "max_context_size = 128000",
      // Otherwise it asks /v1/messages for 128,000 tokens.
      "max_output_size = 64000",
    ];
    await writeFile(join(directory, "config.toml"), `${lines.join("\n")}\n`);
  },
  command: (task, _target, _place, { bin }) => ({ command: bin("kimi"), args: ["-p", task] }),
});

export const kimis = (
  [
    ["openai", "/v1"],
    ["openai_responses", "/v1"],
    ["anthropic", ""],
  ] as const
).map(speakingBy);
