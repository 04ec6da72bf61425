/**
 * `npm run eval -- DATA_DIR [--json]`: measures the served model on every set of a folder. `--json` prints one JSON object on
 * stdout; without it a table, with progress on stderr. `--checkpoint DIR` measures another checkpoint; `--max-rows N` takes N
 * rows of each set, evenly spread.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { renderProgress, renderTable } from "./eval/render-table.ts";
import { runEvaluation } from "./eval/run-eval.ts";

const usage = "usage: npm run eval -- DATA_DIR [--json] [--max-rows N] [--checkpoint DIR]\n";
const checkpoints =
  process.env.MODEL_DIR || fileURLToPath(new URL("../gpu-worker/checkpoints", import.meta.url));

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        "max-rows": { type: "string" },
        checkpoint: { type: "string", default: join(checkpoints, "base") },
      },
    });
    const { json, checkpoint, "max-rows": wanted } = values;
    const maxRows = wanted === undefined ? undefined : Number(wanted);
    const isCount = maxRows === undefined || (Number.isInteger(maxRows) && maxRows > 0);
    return positionals.length === 1 && isCount
      ? { json, checkpoint, maxRows, dataDir: positionals[0]! }
      : undefined;
  } catch {
    return undefined;
  }
}

const chosen = readArguments();
if (chosen) {
  const { dataDir, json, checkpoint, maxRows } = chosen;
  const showsBar = !json && process.stderr.isTTY;
  const say = (line: string) => void process.stderr.write(`${showsBar ? "\r\u001b[K" : ""}${line}\n`);
  try {
    const figures = await runEvaluation({
      dataDir,
      checkpointDir: checkpoint,
      maxRows,
      threads: Math.min(4, availableParallelism()),
      onProgress(set, done, total) {
        if (showsBar) process.stderr.write(`\r\u001b[K${renderProgress(set, done, total)}`);
        else if (!json && done === total) say(renderProgress(set, done, total));
      },
      warn: say,
    });
    if (showsBar) process.stderr.write("\r\u001b[K");
    process.stdout.write(json ? `${JSON.stringify(figures)}\n` : renderTable(figures));
  } catch (error) {
    say(`eval: ${(error as Error).message}`);
    process.exitCode = 1;
  }
} else {
  process.stderr.write(usage);
  process.exitCode = 2;
}
