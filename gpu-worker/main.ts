/** Entry of the gpu-worker process: `npm run worker [-- --check]`. Settings are environment variables (config.ts). */
import process from "node:process";
import { checkWorker } from "./check-worker.ts";
import { runWorker } from "./run-worker.ts";

const words = process.argv.slice(2);
const unknown = words.find((word) => word !== "--check");
if (unknown !== undefined) {
  process.stderr.write(
    `npm run worker takes --check and nothing else (${unknown}): its settings are environment variables.\n`,
  );
  process.exit(2);
}
if (words.length > 0) await checkWorker({ process });
await runWorker({ process });
