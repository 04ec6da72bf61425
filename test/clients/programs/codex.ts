/** Codex over /v1/responses, as docs/clients.md sets it up. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Program, programScenes } from "../program.ts";

export const codex: Program = {
  name: "codex",
  packages: ["@openai/codex"],
  scenes: programScenes,
  prepare: async ({ home }, { url, model }) => {
    const directory = join(home, ".codex");
    await mkdir(directory, { recursive: true });
    const config = [
      `model = "${model}"`,
      'model_provider = "svc"',
      "",
      "[model_providers.svc]",
      'name = "svc"',
      `base_url = "${url}/v1"`,
      'env_key = "SVC_API_KEY"',
      'wire_api = "responses"',
    ];
    await writeFile(join(directory, "config.toml"), `${config.join("\n")}\n`);
  },
  command: (task, { apiKey }, _place, { bin }) => ({
    command: bin("codex"),
    args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", task],
    env: { SVC_API_KEY: apiKey },
  }),
};
