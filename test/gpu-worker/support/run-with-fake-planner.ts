/** A whole worker process with the fake planner: what main.ts is with the real one. */
import process from "node:process";
import { runWorker } from "../../../gpu-worker/run-worker.ts";
import { fakePlannerModule } from "./fake-planner.ts";

await runWorker({ process, plannerModule: fakePlannerModule });
