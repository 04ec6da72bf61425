/** The gpu-worker process with the fixed planner: same protocol, signatures, queue and threads. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runWorker } from "../../../gpu-worker/run-worker.ts";
import { fixedPlannerModule } from "./fixed-planner.ts";

export const fixedWorkerFile = fileURLToPath(import.meta.url);

if (import.meta.main) await runWorker({ process, plannerModule: fixedPlannerModule });
