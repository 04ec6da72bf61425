/** Factory's Droid with a model of its user's, in each way it can speak to this service. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Program } from "../program.ts";

const speakingBy = ([provider, path]: readonly [string, string]): Program => ({
  name: `droid, ${provider}`,
  packages: ["droid"],
  // Not error, of which it shows only "Exec failed", and not abort: after SIGINT it goes on reading for five seconds.
  scenes: ["text", "stream", "tools"],
  prepare: async ({ home }, { url, apiKey, model }) => {
    const directory = join(home, ".factory");
    await mkdir(directory, { recursive: true });
    const own = {
      model,
      displayName: "svc",
      baseUrl: `${url}${path}`,
      apiKey,
      provider,
      maxOutputTokens: 16_000,
    };
    await writeFile(join(directory, "settings.json"), JSON.stringify({ customModels: [own] }));
  },
  command: (task, _target, _place, { bin }) => ({
    command: bin("droid"),
    args: ["exec", "--skip-permissions-unsafe", "-m", "custom:svc-0", task],
  }),
});

export const droids = (
  [
    ["generic-chat-completion-api", "/v1"],
    ["openai", "/v1"],
    ["anthropic", ""],
  ] as const
).map(speakingBy);
