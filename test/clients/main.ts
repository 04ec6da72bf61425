/**
 * `npm run clients`: real programs, as their makers ship them, against `npm start` with a provider that answers as agents'
 * models do. Installs them into a folder (CLIENTS_DIR keeps it), runs every scene for each provider kind, prints one table.
 *   npm run clients -- [--only NAME] [--scenes text,tools] [--kinds OpenAI,Gemini] [--verbose]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startGateway } from "../support/gateway.ts";
import { install } from "./install.ts";
import { type Program, sceneNames } from "./program.ts";
import { claudeCode } from "./programs/claude-code.ts";
import { codex } from "./programs/codex.ts";
import { continues } from "./programs/continue.ts";
import { libraries } from "./programs/libraries.ts";
import { opencodes } from "./programs/opencode.ts";
import { qwenCode } from "./programs/qwen-code.ts";
import { playRefusal, type RefusalName, refusals } from "./refusals.ts";
import { kinds, playScene, type Stage } from "./scenes.ts";

const programs: readonly Program[] = [claudeCode, codex, ...opencodes, qwenCode, ...continues, ...libraries];
const ownKeys = {
  alpha_key: "sk-proj-own-0123456789",
  beta_key: "sk-ant-own-0123456789",
  gamma_key: "AIzaOwn-0123456789abcdef",
};

const { values: asked } = parseArgs({
  options: {
    only: { type: "string" },
    scenes: { type: "string" },
    kinds: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});
const wanted = (list: string | undefined, name: string) =>
  list === undefined || list.split(",").includes(name);
const asksFor = sceneNames.filter((scene) => wanted(asked.scenes, scene));
const say = (text: string) => process.stdout.write(`${text}\n`);

const folder = process.env.CLIENTS_DIR ?? (await mkdtemp(join(tmpdir(), "svc-clients-")));
const gateway = await startGateway({ MESSAGES_MAX_TOKENS: "64000" }, { readyMs: 300_000 });
const rows: string[][] = [];
let failures = 0;

/** A caller of its own for each program, with a key of every provider. */
async function openStage(program: Program): Promise<Stage> {
  const caller = await gateway.newCaller(1_000_000_000);
  gateway.provider.reset();
  const stored = await fetch(`${gateway.baseUrl}/account/llm-keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(ownKeys),
  });
  if (!stored.ok) throw new Error(`no provider keys: ${await stored.text()}`);
  return { gateway, caller, program, installed: await install(folder, program.packages) };
}

const note = (output: string) => (asked.verbose ? `\n${output.slice(-3_000)}\n` : "");

async function tryScenes(stage: Stage, version: string): Promise<void> {
  for (const kind of kinds.filter(({ name }) => wanted(asked.kinds, name))) {
    const row = [stage.program.name, version, kind.name];
    for (const scene of asksFor) {
      if (!stage.program.scenes.includes(scene)) {
        row.push("–");
        continue;
      }
      const { problem, ms, output } = await playScene(stage, kind, scene);
      if (problem !== undefined) failures += 1;
      row.push(problem ?? `ok ${(ms / 1000).toFixed(1)} s`);
      say(`${row.slice(0, 3).join(" ")} ${scene}: ${row.at(-1)}${problem === undefined ? "" : note(output)}`);
    }
    if (row.length > 3) rows.push(row);
  }
}

async function tryRefusals(stage: Stage): Promise<void> {
  for (const name of Object.keys(refusals) as RefusalName[]) {
    const { shownMs, afterMs = 0, requests, output } = await playRefusal(stage, name);
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
    const shown =
      shownMs === undefined
        ? "not shown in 60 s"
        : `shown after ${seconds(shownMs)}, ${seconds(afterMs)} after the first of ${requests} answers`;
    say(`${stage.program.name} ${name}: ${shown}${shownMs === undefined ? note(output) : ""}`);
    rows.push([stage.program.name, "", name, shown]);
  }
}

try {
  for (const program of programs.filter(
    ({ name }) => asked.only === undefined || name.includes(asked.only),
  )) {
    const stage = await openStage(program);
    const version = await stage.installed.versionOf(program.packages[0]!);
    await tryScenes(stage, version);
    if (wanted(asked.scenes, "refusals") && [claudeCode, codex].includes(program)) await tryRefusals(stage);
  }
} finally {
  await gateway.stop();
  if (process.env.CLIENTS_DIR === undefined) await rm(folder, { recursive: true, force: true });
}

say(`\n| ${["program", "version", "models of", ...asksFor].join(" | ")} |`);
say(`|${" --- |".repeat(3 + asksFor.length)}`);
for (const row of rows) say(`| ${row.join(" | ")} |`);
process.exitCode = failures > 0 ? 1 : 0;
