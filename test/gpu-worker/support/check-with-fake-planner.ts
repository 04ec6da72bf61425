/** `npm run worker -- --check` with the fake planner and short measurements. */
import process from "node:process";
import { checkWorker } from "../../../gpu-worker/check-worker.ts";
import { fakePlannerModule } from "./fake-planner.ts";

await checkWorker({ process, plannerModule: fakePlannerModule, seconds: 0.1 });
