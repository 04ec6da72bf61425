// A process that locks the directory it is given, names an idle child as its server, prints that child's process
// id, and waits to be killed.
import { spawn } from "node:child_process";
import { acquireLock } from "../../../../scripts/self-host/sqld-lock.ts";

const lock = await acquireLock(process.argv[2]!, 1000);
const server = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
  detached: true,
  stdio: "ignore",
});
await lock.nameServer(server.pid!);
process.stdout.write(`${server.pid}\n`);
