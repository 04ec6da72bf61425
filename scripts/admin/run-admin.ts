/**
 * One run of the operator's CLI, from its arguments to its output: text, or with --json one JSON object. Any failure is one
 * sentence on stderr and code 1 (with --json also {"error"} on stdout).
 */
import type { Environment } from "../self-host/settings.ts";
import { readCommandLine } from "./command-line.ts";
import { findVaultKeys, openAdminDatabase, requireDataDirectory } from "./database.ts";
import { explainFailure } from "./failure.ts";
import { renderText } from "./render-text.ts";

export type AdminRun = { code: number; stdout: string; stderr: string };

/** Never throws. `words` are those after the script's name. */
export async function runAdmin(
  words: readonly string[],
  env: Environment,
  workingDirectory: string,
): Promise<AdminRun> {
  const json = words.includes("--json");
  try {
    return await run(words, env, workingDirectory, json);
  } catch (error) {
    const sentence = explainFailure(error);
    return { code: 1, stdout: json ? jsonLine({ error: sentence }) : "", stderr: `${sentence}\n` };
  }
}

async function run(
  words: readonly string[],
  env: Environment,
  workingDirectory: string,
  json: boolean,
): Promise<AdminRun> {
  const line = readCommandLine(words);
  if ("help" in line)
    return { code: 0, stdout: json ? jsonLine({ help: line.help }) : `${line.help}\n`, stderr: "" };
  if (!line.command.makesDatabase) requireDataDirectory(env, workingDirectory);
  const { close, ...target } = await openAdminDatabase(env, workingDirectory);
  try {
    const { output, failed } = await line.command.run({
      ...target,
      now: Date.now(),
      findVaultKeys: () => findVaultKeys(env, workingDirectory),
      options: line.options,
    });
    return { code: failed ? 1 : 0, stdout: json ? jsonLine(output) : renderText(output), stderr: "" };
  } finally {
    await close();
  }
}

const jsonLine = (value: unknown) => `${JSON.stringify(value)}\n`;
