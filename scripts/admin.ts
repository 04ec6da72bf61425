/** `npm run admin -- <command>`: the operator's CLI as a process; scripts/admin/commands.ts has the commands. */
import { runAdmin } from "./admin/run-admin.ts";

const { code, stdout, stderr } = await runAdmin(process.argv.slice(2), process.env, process.cwd());
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
