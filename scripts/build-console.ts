/** Builds the console's files into dist/console, for `wrangler deploy` (wrangler.toml calls it). `npm start` builds its own. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole } from "./console/build-console.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const directory = join(root, "dist/console");
await buildConsole(root, directory);
process.stdout.write(`console built in ${directory}\n`);
