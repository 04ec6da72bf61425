/** GitHub Copilot's CLI with a provider of the user's own, which needs no sign-in, over each of this service's three APIs. */
import { type Program, programScenes } from "../program.ts";

const wires = [
  { wire: "completions", type: "openai", root: "/v1" },
  { wire: "responses", type: "openai", root: "/v1" },
  { wire: "messages", type: "anthropic", root: "" },
] as const;

const speakingBy = ({ wire, type, root }: (typeof wires)[number]): Program => ({
  name: `copilot, ${wire}`,
  packages: ["@github/copilot"],
  scenes: programScenes,
  command: (task, { url, apiKey, model }, _place, { bin }) => ({
    command: bin("copilot"),
    args: ["--allow-all-tools", "--allow-all-paths", "-p", task],
    env: {
      COPILOT_PROVIDER_BASE_URL: `${url}${root}`,
      COPILOT_PROVIDER_TYPE: type,
      ...(type === "openai" && { COPILOT_PROVIDER_WIRE_API: wire }),
      COPILOT_PROVIDER_API_KEY: apiKey,
      COPILOT_MODEL: model,
      COPILOT_OFFLINE: "true",
    },
  }),
});

export const copilots = wires.map(speakingBy);
