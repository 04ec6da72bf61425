/** pi over each of this service's three APIs: chat completions, responses, messages. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Program, programScenes } from "../program.ts";

const apis = [
  { api: "openai-completions", root: "/v1" },
  { api: "openai-responses", root: "/v1" },
  { api: "anthropic-messages", root: "" },
] as const;

const speakingBy = ({ api, root }: (typeof apis)[number]): Program => ({
  name: `pi, ${api}`,
  packages: ["@earendil-works/pi-coding-agent"],
  scenes: programScenes,
  prepare: async ({ home }, { url, apiKey, model }) => {
    const directory = join(home, ".pi/agent");
    await mkdir(directory, { recursive: true });
    const svc = { baseUrl: `${url}${root}`, api, apiKey, models: [{ id: model, reasoning: true }] };
    await writeFile(join(directory, "models.json"), JSON.stringify({ providers: { svc } }));
  },
  command: (task, { model }, _place, { bin }) => ({
    command: bin("pi"),
    args: ["--provider", "svc", "--model", model, "-p", task],
    // Otherwise it looks for a newer version of itself, and for its tools, on the network.
    env: { PI_OFFLINE: "1" },
  }),
});

export const pis = apis.map(speakingBy);
