/**
 * Locks a DATA_DIR by two sockets, which end with their process. The first is an abstract socket name in the kernel, taken in one
 * step. But such names belong to one network namespace (as process ids belong to theirs), so two containers on one volume would
 * not see each other. The second is a socket file in the directory, which answers in every namespace of the machine.
 */
import { createHash } from "node:crypto";
import { openSync, rmSync } from "node:fs";
import { realpath, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";

const fileName = "service.sock";
/** The kernel accepts 107 bytes (sun_path); a longer path is reached through the directory's descriptor. */
const maxPathChars = 100;

/** Takes the directory until this process ends. @returns false if another process has it */
export async function takeDirectory(directory: string): Promise<boolean> {
  const path = await realpath(directory);
  const name = `\0svc-${createHash("sha256").update(path).digest("hex").slice(0, 40)}`;
  if ((await listen(name)) === "EADDRINUSE") return false;
  const file = socketFile(path);
  while ((await listen(file)) === "EADDRINUSE") {
    if (await isAnswered(file)) return false;
    // A killed process leaves the file behind. In this namespace nobody else holds the directory, since the name is ours.
    await rm(file, { force: true });
  }
  process.once("exit", () => rmSync(file, { force: true }));
  return true;
}

/** Whether a service holds the directory, in any container. */
export const isTaken = async (directory: string): Promise<boolean> => {
  const path = await realpath(directory).catch(() => undefined);
  return path !== undefined && (await isAnswered(socketFile(path)));
};

function socketFile(directory: string): string {
  const path = join(directory, fileName);
  if (Buffer.byteLength(path) <= maxPathChars) return path;
  // Stays open until the process ends, since the path is resolved again when the file is removed.
  return join(`/proc/self/fd/${openSync(directory, "r")}`, fileName);
}

/** @returns the error code, if any; a file system without sockets does not prevent a start */
async function listen(path: string): Promise<string | undefined> {
  const server: Server = createServer((socket) => socket.destroy());
  const failed = await new Promise<NodeJS.ErrnoException | undefined>((done) => {
    server.once("error", done);
    server.listen(path, () => done(undefined));
  });
  server.unref();
  return failed?.code;
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  const failed = await new Promise<NodeJS.ErrnoException | undefined>((done) => {
    socket.once("error", done);
    socket.once("connect", () => done(undefined));
  });
  socket.destroy();
  return failed === undefined;
}
