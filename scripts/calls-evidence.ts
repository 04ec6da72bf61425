/**
 * `node scripts/calls-evidence.ts ROWS EVIDENCE`: writes what the server reads of each tool of requests over tools, for
 * gpu-worker/training/calls_fit.py. ROWS is a folder of sets, EVIDENCE receives one line of JSON for each request.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { argv, stderr } from "node:process";
import { fileURLToPath } from "node:url";
import { readCallEvidence } from "../gpu-worker/planning/choose-calls.ts";
import { planTools } from "../gpu-worker/planning/plan-tools.ts";
import { readSessions } from "../gpu-worker/planning/session.ts";
import { loadWorldModel, type WorldModel } from "../gpu-worker/world-model/world-model.ts";
import { type EvaluationRow, listSets, readSet } from "./eval/rows.ts";
import { callsOf, requestOf } from "./eval/tool-rows.ts";

const checkpoint = fileURLToPath(new URL("../gpu-worker/checkpoints/base", import.meta.url));
const rowsPerRun = 16;

/** One line for each row: its set, its box of tools, the tools that are to be called, and the evidence for each tool. */
async function readEvidence(
  model: WorldModel,
  set: string,
  rows: readonly EvaluationRow[],
): Promise<string[]> {
  const sessions = await readSessions(
    model,
    rows.map((row) => requestOf(model, row)),
  );
  const plans = await planTools(model, sessions);
  return rows.map((row, at) => {
    const plan = plans[at]!;
    const names = row.tools.map(({ name }) => name);
    const calls = [...new Set(callsOf(row))].map((name) => names.indexOf(name));
    const evidence = plan.stops ? [] : readCallEvidence(plan, sessions[at]!.reading.mixedParts);
    return JSON.stringify({ set, box: names.join(), calls, evidence });
  });
}

async function main([directory, evidencePath]: readonly string[]): Promise<void> {
  if (!directory || !evidencePath) throw new Error("usage: node scripts/calls-evidence.ts ROWS EVIDENCE");
  const model = await loadWorldModel({ checkpointDir: checkpoint, device: "cpu", intraOpThreads: 1 });
  const file = openSync(evidencePath, "w");
  for (const set of listSets(directory)) {
    const rows = readSet(directory, set).rows.filter(({ tools }) => tools.length > 0);
    for (let begin = 0; begin < rows.length; begin += rowsPerRun) {
      const lines = await readEvidence(model, set, rows.slice(begin, begin + rowsPerRun));
      writeSync(file, lines.map((line) => `${line}\n`).join(""));
    }
    stderr.write(`${set}: ${rows.length} rows\n`);
  }
  closeSync(file);
  await model.close();
}

await main(argv.slice(2));
