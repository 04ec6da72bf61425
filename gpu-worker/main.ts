/** Entry of the gpu-worker process: `npm run worker`. Settings are environment variables (config.ts). */
import process from "node:process";
import { runWorker } from "./run-worker.ts";

await runWorker({ process });
