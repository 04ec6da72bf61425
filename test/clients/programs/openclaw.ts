/** OpenClaw's embedded agent, which runs one task without its daemon, in each way it can speak to this service. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Program, programScenes } from "../program.ts";

const speakingBy = ([api, path]: readonly [string, string]): Program => ({
  name: `openclaw, ${api}`,
  packages: ["openclaw"],
  scenes: programScenes,
  prepare: async ({ home }, { url, apiKey, model }) => {
    const directory = join(home, ".openclaw");
    await mkdir(directory, { recursive: true });
    const models = [{ id: model, name: "svc", reasoning: true, contextWindow: 128_000, maxTokens: 16_000 }];
    const svc = { baseUrl: `${url}${path}`, apiKey, api, models };
    const config = {
      models: { providers: { svc } },
      agents: { defaults: { model: { primary: `svc/${model}` } } },
    };
    await writeFile(join(directory, "openclaw.json"), JSON.stringify(config));
  },
  command: (task, _target, _place, { bin }) => ({ command: bin("openclaw"), args: ["agent", "exec", task] }),
});

export const openclaws = (
  [
    ["openai-completions", "/v1"],
    ["openai-responses", "/v1"],
    ["anthropic-messages", ""],
  ] as const
).map(speakingBy);
