/**
 * Whether DATA_DIR can be used at all, found out before anything starts: what is wrong with it is the operator's to mend, and
 * a part that trips over it later says so in its own words, or not at all.
 */
import { constants } from "node:fs";
import { access, mkdir, readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "./settings.ts";

const mebibyte = 1024 * 1024;
/** The edge's bundle, the console and an empty database take 5. */
const minFreeMib = 16;
/** What sqld's log of its writes may come to (docs/operating.md, "What to back up"). */
const wantedFreeMib = 250;

/** What is written in place; the other files are only read, or replaced. A mount point may hold `lost+found`, too. */
const ours = ["db", "edge"];

/** Makes the directory (0700) where there is none. @throws StartError when it cannot be written, or is full */
export async function prepareDataDirectory(directory: string, log: (line: string) => void): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`DATA_DIR ${directory} cannot be made (${error.code}); set it to another folder.`);
  });
  const tree = ours.map((name) => listTree(join(directory, name)));
  for (const path of [directory, ...(await Promise.all(tree)).flat()]) await checkWritable(path, directory);
  const freeMib = await readFreeMib(directory);
  if (freeMib === undefined || freeMib >= wantedFreeMib) return;
  const room = `DATA_DIR ${directory} has ${Math.floor(freeMib)} MiB of disk left`;
  if (freeMib < minFreeMib) throw new StartError(`${room}, too few to start; make room, or set another.`);
  log(`${room}: the database alone may want ${wantedFreeMib}; without room requests are refused (503)`);
}

/** A folder and what lies in it, forty files in all; a database that was never there has none. */
async function listTree(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return [folder, ...names.map((name) => join(folder, name))];
}

/** Files that root made in one start by mistake are the usual case. */
async function checkWritable(path: string, directory: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  const { R_OK, W_OK, X_OK } = constants;
  const failed = await access(path, found?.isDirectory() ? R_OK | W_OK | X_OK : W_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  // Not there yet.
  if (failed === undefined || failed === "ENOENT") return;
  const whose = found && `; it belongs to user ${found.uid}, this is user ${process.getuid?.()}`;
  throw new StartError(
    `DATA_DIR ${directory} cannot be used: no right to write ${path} (${failed}${whose ?? ""}). Give it to this user, or set another.`,
  );
}

/** Undefined where the file system does not say: some of the network report no blocks at all. */
async function readFreeMib(directory: string): Promise<number | undefined> {
  const { bavail, bsize, blocks } = await statfs(directory);
  return blocks === 0 ? undefined : (bavail * bsize) / mebibyte;
}
