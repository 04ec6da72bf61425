/** `npm run admin -- <command>`: the operator's CLI as a process; scripts/admin/commands.ts has the commands. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { loadBundled } from "./bundle-cache.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { runAdmin } = await loadBundled<typeof import("./admin/run-admin.ts")>(
  root,
  "scripts/admin/run-admin.ts",
  "svc-admin",
);
// A reader such as `head` may leave before the end.
process.stdout.on("error", () => undefined);
const { code, stdout, stderr } = await runAdmin(process.argv.slice(2), process.env, process.cwd());
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
