/** qwen-code over chat completions. */
import { type Program, programScenes } from "../program.ts";

export const qwenCode: Program = {
  name: "qwen-code",
  packages: ["@qwen-code/qwen-code"],
  scenes: programScenes,
  command: (task, { url, apiKey, model }, _place, { bin }) => ({
    command: bin("qwen"),
    args: ["--auth-type", "openai", "--yolo", "-p", task],
    env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: apiKey, OPENAI_MODEL: model },
  }),
};
