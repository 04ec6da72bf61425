/**
 * `npm start`: the whole service on one machine. Turns signals into an orderly stop, and prints the ready line (stdout, last)
 * after the demo key; everything else goes to stderr.
 */
import { DatabaseError } from "../edge/db/connection.ts";
import { watchHeap } from "../gpu-worker/garbage.ts";
import { explainDatabase } from "./admin/failure.ts";
import { describeDemo } from "./self-host/first-request.ts";
import { watchParent } from "./self-host/parent-watch.ts";
import { refuseArguments, StartError } from "./self-host/settings.ts";
import { startService } from "./self-host/start-service.ts";
import { Parts } from "./self-host/started-parts.ts";

const log = (line: string) => void process.stderr.write(`${line}\n`);

/** The system's own errors name what failed, and where; where it was in our code helps no operator. */
function explain(error: unknown): string {
  if (error instanceof DatabaseError) return explainDatabase(error);
  const { message, stack, syscall } = error as NodeJS.ErrnoException;
  return error instanceof StartError || syscall !== undefined ? message : String(stack);
}

/** Resolves when the service is ready; it then runs until a signal, or the end of npm, stops the process. @param root the checkout */
export async function runStart(root: string): Promise<void> {
  // The reader of our output may end before us.
  process.stdout.on("error", () => undefined);
  process.stderr.on("error", () => undefined);
  const parts = new Parts(log);
  let stopping = false;
  const stop = async (reason: string, exitCode = 0): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log(reason);
    await parts.stop();
    process.exit(exitCode);
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(name, () => void stop(`stopping (${name})`));
  process.on("exit", () => parts.killNow());
  await watchParent(process.env, () => void stop("stopping (npm has ended)"));
  try {
    refuseArguments(process.argv.slice(2));
    const service = await startService({ root, env: process.env, log, parts });
    watchHeap();
    const lines = await describeDemo(service);
    process.stdout.write([...lines, `ready ${service.url}`, ""].join("\n"));
  } catch (error) {
    await stop(`cannot start: ${explain(error)}`, 1);
  }
}
