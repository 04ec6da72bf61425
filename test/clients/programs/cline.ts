/** Cline's CLI as "OpenAI Compatible". It takes a base URL by a command of its own, once. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Program, programScenes } from "../program.ts";

export const cline: Program = {
  name: "cline",
  packages: ["cline"],
  scenes: programScenes,
  prepare: async ({ home }, { url, apiKey, model }, { bin }) => {
    const words = ["auth", "-p", "openai", "-k", apiKey, "-m", model, "-b", `${url}/v1`];
    await promisify(execFile)(bin("cline"), words, { env: { PATH: process.env.PATH, HOME: home } });
  },
  command: (task, _target, _place, { bin }) => ({
    command: bin("cline"),
    args: [task],
    // Otherwise it leaves a daemon behind.
    env: { CLINE_SESSION_BACKEND_MODE: "local" },
  }),
};
