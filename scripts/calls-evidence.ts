/**
 * `npx node scripts/calls-evidence.ts ROWS EVIDENCE`: writes, for each tool of a request, the evidence by which the server chooses the
 * calls of a first plan; gpu-worker/training/fits/calls_fit.py fits its weights. ROWS is a folder of sets, EVIDENCE receives one line
 * of JSON for each request.
 */
import { readCallEvidence } from "../gpu-worker/planning/tools/choose-calls.ts";
import { planTools } from "../gpu-worker/planning/tools/plan-tools.ts";
import { readSessions } from "../gpu-worker/planning/tools/read-sessions.ts";
import { callsOf, requestOf } from "./eval/tool-rows.ts";
import { runsOf, writeEvidence } from "./eval/write-evidence.ts";

/** One line for each row: its box of tools, indices of the tools to call, and the evidence for each tool (none where the plan stops). */
await writeEvidence(
  "calls-evidence.ts",
  (model) =>
    async function* (rows) {
      for (const some of runsOf(rows.filter(({ tools }) => tools.length > 0))) {
        const sessions = await readSessions(
          model,
          some.map((row) => requestOf(model, row)),
        );
        const plans = await planTools(model, sessions);
        for (const [at, row] of some.entries()) {
          const plan = plans[at]!;
          const names = row.tools.map(({ name }) => name);
          const calls = [...new Set(callsOf(row))].map((name) => names.indexOf(name));
          const evidence = plan.stops ? [] : readCallEvidence(plan, sessions[at]!.reading.mixedParts);
          yield { box: names.join(), calls, evidence };
        }
      }
    },
);
