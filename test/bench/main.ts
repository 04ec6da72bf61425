/**
 * `npm run bench`: measures, prints tables for people, writes bench-results.json (docs/performance.md, "How it is measured"). `--only NAME`
 * runs one measurement (several: name them with commas), `--seconds N` changes how long each load lasts (default 5), `--streams N`
 * how many are held open where memory is measured (default 1,000; `many-streams` opens five times as many),
 * `--minutes N` how long `soak` and `service-soak` last (default 10).
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { longMeasurements, measurements, runBench } from "./bench.ts";
import { readMachineFacts } from "./machine.ts";
import { renderResult } from "./report.ts";

const resultsFile = "bench-results.json";

const all = [...measurements, ...longMeasurements];

function refuse(): never {
  process.stderr.write(
    `bench: --only takes ${all.map(({ name }) => name).join(", ")}; --seconds, --streams and --minutes a number above 0\n`,
  );
  process.exit(2);
}

function readOptions() {
  const options = {
    only: { type: "string" },
    seconds: { type: "string", default: "5" },
    streams: { type: "string", default: "1000" },
    minutes: { type: "string", default: "10" },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch {
    return refuse();
  }
}

const values = readOptions();
const names = values.only?.split(",");
const chosen = names === undefined ? measurements : all.filter(({ name }) => names.includes(name));
const seconds = Number(values.seconds);
const openStreams = Number(values.streams);
const soakSeconds = Number(values.minutes) * 60;
if (chosen.length < (names?.length ?? 1) || !(seconds > 0) || !(soakSeconds > 0) || !(openStreams >= 1))
  refuse();

const machine = readMachineFacts(new Date());
process.stdout.write(`${Object.values(machine).join(" | ")}\n\n`);
const effort = { seconds, rounds: 5, openStreams, soakSeconds };
const results = await runBench(chosen, effort, ({ title, ...result }) =>
  process.stdout.write(`${renderResult(title, result)}\n`),
);
await writeFile(resultsFile, `${JSON.stringify({ machine, seconds, results }, null, 2)}\n`);
process.stdout.write(`written: ${resultsFile}\n`);
