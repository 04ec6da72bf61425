// What all drivers here share: what is asked of them, the work of the two tools, and how they are told to stop.
import { readFile, writeFile } from "node:fs/promises";

export const task = process.argv[2];
export const { SVC_MODEL: model, SVC_SCENE: scene, SVC_MODE: mode } = process.env;
export const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey } = process.env;

export const read = ({ path }) => readFile(path, "utf8");
export const write = ({ path, content }) => writeFile(path, content).then(() => "written");
export const told = { read: "The content of a file", write: "Writes a file" };

/** Ends on the first SIGINT, for libraries that take a signal; the others end with the process. */
export function untilInterrupted() {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  return controller.signal;
}

export async function print(texts) {
  for await (const text of texts) process.stdout.write(text);
}
