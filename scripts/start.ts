/** `npm start` as a process; scripts/run-start.ts is the service's life from its start to its stop. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { loadBundled } from "./bundle-cache.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { runStart } = await loadBundled<typeof import("./run-start.ts")>(
  root,
  "scripts/run-start.ts",
  "svc-start",
);
await runStart(root);
