/** opencode, and Kilo Code's command line, which is built on it, through two of the packages they can speak with. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Program, programScenes } from "../program.ts";

type Maker = {
  name: string;
  packages: readonly string[];
  bin: string;
  /** The folder of its configuration in `~/.config`; the file in it has the same name. */
  folder: string;
};

const makers: readonly Maker[] = [
  { name: "opencode", packages: ["opencode-ai"], bin: "opencode", folder: "opencode" },
  // The second package holds the program. It is an optional dependency of the first, which npm leaves out if the registry lacks that of
  // another platform.
  { name: "Kilo Code", packages: ["@kilocode/cli", "@kilocode/cli-linux-x64"], bin: "kilo", folder: "kilo" },
];

const speakingBy = ({ name, packages, bin: program, folder }: Maker, npm: string): Program => ({
  name: `${name}, ${npm}`,
  packages,
  scenes: programScenes,
  prepare: async ({ home }, { url, model }) => {
    const directory = join(home, ".config", folder);
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
    await writeFile(join(directory, `${folder}.json`), JSON.stringify(config));
  },
  command: (task, { apiKey }, _place, { bin }) => ({
    command: bin(program),
    args: ["run", task],
    env: { SVC_API_KEY: apiKey },
  }),
});

export const opencodes = makers.flatMap((maker) =>
  ["@ai-sdk/openai-compatible", "@ai-sdk/anthropic"].map((npm) => speakingBy(maker, npm)),
);
