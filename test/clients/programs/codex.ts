/** Codex over /v1/responses: with a provider of its user's, and with its own at another address, for which it tries a WebSocket first. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Program, programScenes } from "../program.ts";

const writeProvider = (url: string) => [
  'model_provider = "svc"',
  "",
  "[model_providers.svc]",
  'name = "svc"',
  `base_url = "${url}/v1"`,
  'env_key = "SVC_API_KEY"',
  'wire_api = "responses"',
];
const writeAddress = (url: string) => [`openai_base_url = "${url}/v1"`];

const configuredBy = (name: string, writeLines: (url: string) => string[]): Program => ({
  name,
  packages: ["@openai/codex"],
  scenes: programScenes,
  prepare: async ({ home }, { url, model }) => {
    const directory = join(home, ".codex");
    await mkdir(directory, { recursive: true });
    const config = [`model = "${model}"`, ...writeLines(url)];
    await writeFile(join(directory, "config.toml"), `${config.join("\n")}\n`);
  },
  command: (task, { apiKey }, _place, { bin }) => ({
    command: bin("codex"),
    args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", task],
    env: { SVC_API_KEY: apiKey, CODEX_API_KEY: apiKey },
  }),
});

export const codex = configuredBy("codex", writeProvider);
export const codexByAddress = configuredBy("codex, openai_base_url", writeAddress);
