/**
 * `npm run bench`: measures, prints a table for people, writes bench-results.json. `--only NAME` runs one
 * measurement (several: name them with commas), `--seconds N` changes how long each load lasts (default 5).
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { measurements, runBench } from "./bench.ts";
import { readMachineFacts } from "./machine.ts";
import { renderResult } from "./report.ts";

const resultsFile = "bench-results.json";

const { values } = parseArgs({
  options: { only: { type: "string" }, seconds: { type: "string", default: "5" } },
});
const names = values.only?.split(",");
const chosen = names === undefined ? measurements : measurements.filter(({ name }) => names.includes(name));
const seconds = Number(values.seconds);
if (chosen.length < (names?.length ?? 1) || !(seconds > 0)) {
  process.stderr.write(
    `bench: --only takes ${measurements.map(({ name }) => name).join(", ")}; --seconds a number above 0\n`,
  );
  process.exit(2);
}

const machine = readMachineFacts(new Date());
process.stdout.write(`${Object.values(machine).join(" | ")}\n\n`);
const results = await runBench(chosen, { seconds, rounds: 5, openStreams: 1_000 }, ({ title, ...result }) =>
  process.stdout.write(`${renderResult(title, result)}\n`),
);
await writeFile(resultsFile, `${JSON.stringify({ machine, seconds, results }, null, 2)}\n`);
process.stdout.write(`written: ${resultsFile}\n`);
