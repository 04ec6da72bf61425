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
import { cline } from "./programs/cline.ts";
import { codex, codexByAddress } from "./programs/codex.ts";
import { continues } from "./programs/continue.ts";
import { copilots } from "./programs/copilot.ts";
import { droids } from "./programs/droid.ts";
import { kimis } from "./programs/kimi.ts";
import { libraries } from "./programs/libraries.ts";
import { openclaws } from "./programs/openclaw.ts";
import { opencodes } from "./programs/opencode.ts";
import { pis } from "./programs/pi.ts";
import { qwenCode } from "./programs/qwen-code.ts";
import { playRefusal, type RefusalName, refusals } from "./refusals.ts";
import { kinds, type Outcome, playScene, type Stage } from "./scenes.ts";
import { type Result, writeTable } from "./write-table.ts";

const programs: readonly Program[] = [
  claudeCode,
  codex,
  codexByAddress,
  ...opencodes,
  qwenCode,
  ...continues,
  ...copilots,
  cline,
  ...pis,
  ...kimis,
  ...droids,
  ...openclaws,
  ...libraries,
];
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
const played = programs.filter(({ name }) => asked.only === undefined || name.includes(asked.only));
if (played.length === 0) {
  console.error(
    `--only ${asked.only} is in none of these names:\n${programs.map(({ name }) => name).join("\n")}`,
  );
  process.exit(1);
}
const say = (text: string) => process.stdout.write(`${text}\n`);

const folder = process.env.CLIENTS_DIR ?? (await mkdtemp(join(tmpdir(), "svc-clients-")));
const gateway = await startGateway({ MESSAGES_MAX_TOKENS: "64000" }, { readyMs: 300_000 });
const results: Result[] = [];
/** How long after the service's first refusal its sentence may take to be on the screen. */
const slowestMs = 3_000;
let slow = false;

/** Makes a caller for the program, stores a key of every provider for it, and installs the program. */
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

const explain = (error: unknown) => (error instanceof Error ? error.message : String(error));

const note = (output: string) => (asked.verbose ? `\n${output.slice(-3_000)}\n` : "");

async function tryScenes(stage: Stage, version: string): Promise<void> {
  const { name: program, scenes } = stage.program;
  for (const kind of kinds.filter(({ name }) => wanted(asked.kinds, name))) {
    for (const scene of asksFor.filter((one) => scenes.includes(one))) {
      const { problem, ms, output } = await playScene(stage, kind, scene).catch(
        (error): Outcome => ({ problem: explain(error), output: "", ms: 0 }),
      );
      results.push({ program, version, scene, passed: problem === undefined });
      const end = problem === undefined ? `ok ${(ms / 1000).toFixed(1)} s` : problem + note(output);
      say(`${program} ${version} ${kind.name} ${scene}: ${end}`);
    }
  }
}

async function tryRefusals(stage: Stage): Promise<void> {
  for (const name of Object.keys(refusals) as RefusalName[]) {
    const { shownMs, afterMs = 0, requests, output } = await playRefusal(stage, name);
    slow ||= shownMs === undefined || afterMs > slowestMs;
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
    const shown =
      shownMs === undefined
        ? "not shown in 60 s"
        : `shown after ${seconds(shownMs)}, ${seconds(afterMs)} after the first of ${requests} answers`;
    say(`${stage.program.name} ${name}: ${shown}${shownMs === undefined ? note(output) : ""}`);
  }
}

/** Plays a program's scenes. One that cannot be installed or started counts as failed in all of them, and the next one is tried. */
async function tryProgram(program: Program): Promise<void> {
  let version = "–";
  try {
    const stage = await openStage(program);
    version = await stage.installed.versionOf(program.packages[0]!);
    await tryScenes(stage, version);
    if (wanted(asked.scenes, "refusals") && [claudeCode, codex].includes(program)) await tryRefusals(stage);
  } catch (error) {
    for (const scene of asksFor.filter((one) => program.scenes.includes(one)))
      results.push({ program: program.name, version, scene, passed: false });
    say(`${program.name} ${version}: ${explain(error)}`);
  }
}

try {
  for (const program of played) await tryProgram(program);
} finally {
  await gateway.stop();
  if (process.env.CLIENTS_DIR === undefined) await rm(folder, { recursive: true, force: true });
}

say(`\n${writeTable(results, asksFor)}`);
process.exitCode = !slow && results.every(({ passed }) => passed) ? 0 : 1;
