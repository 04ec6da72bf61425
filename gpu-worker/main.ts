/** Entry of the gpu-worker process: `npm run worker [-- --check]`. Settings are environment variables (config.ts). */
import process from "node:process";
import { checkWorker } from "./check-worker.ts";
import { runWorker } from "./run-worker.ts";

if (process.argv.includes("--check")) await checkWorker({ process });
await runWorker({ process });
