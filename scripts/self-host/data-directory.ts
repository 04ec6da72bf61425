/**
 * Checks that DATA_DIR can be used, before anything starts: the operator can correct what is wrong with it, and a part that fails
 * because of it later may not say why.
 */
import { constants } from "node:fs";
import { access, chmod, mkdir, readdir, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StartError } from "./settings.ts";

const mebibyte = 1024 * 1024;
/** The edge's bundle, the console and an empty database take 5 MiB. */
const minFreeMib = 16;
/** Largest size of sqld's write log (docs/operating.md, "Back up and restore"). */
const wantedFreeMib = 250;

/** Folders whose files are written in place; other files are only read, or replaced. A mount point may also hold `lost+found`. */
const ours = ["db", "edge"];
const ofSecrets = ["secrets.json", "demo-key"];

/** Makes the directory (0700) if it is missing. @throws StartError if it cannot be written, or is full */
export async function prepareDataDirectory(directory: string, log: (line: string) => void): Promise<void> {
  await makeFolder(directory).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`DATA_DIR ${directory} cannot be made (${error.code}); set it to another folder.`);
  });
  await Promise.all([...ours, ...ofSecrets].map((name) => closeToOthers(join(directory, name))));
  const tree = ours.map((name) => listTree(join(directory, name)));
  for (const path of [directory, ...(await Promise.all(tree)).flat()]) await checkWritable(path, directory);
  const freeMib = await readFreeMib(directory);
  if (freeMib === undefined || freeMib >= wantedFreeMib) return;
  const room = `DATA_DIR ${directory} has ${Math.floor(freeMib)} MiB of disk left`;
  if (freeMib < minFreeMib) throw new StartError(`${room}, too few to start; make room, or set another.`);
  log(`${room}: the database alone may want ${wantedFreeMib}; without room requests are refused (503)`);
}

/** `mkdir -p`. Node's own (`recursive`) never returns in a file system that takes no folders, such as `/proc`. */
async function makeFolder(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 });
  const failed = await make().catch((error: NodeJS.ErrnoException) => error);
  if (!failed || (failed.code === "EEXIST" && (await stat(path)).isDirectory())) return;
  if (failed.code !== "ENOENT") throw failed;
  await makeFolder(dirname(path));
  await make();
}

/**
 * Takes other users' rights from a path: all from a folder, and from a file that everybody may read or change. What `mkdir -p` and `cp`
 * make, when a backup is restored, is open to every user of the machine; with a umask of 0 anybody could change the edge's code, which has
 * the secrets. A file open to its group alone was opened on purpose. That a path is another user's is found later (`checkWritable`).
 */
async function closeToOthers(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  const mode = (found?.mode ?? 0) & 0o777;
  if (found?.isDirectory()) await chmod(path, 0o700).catch(() => undefined);
  else if ((mode & 0o007) !== 0) await chmod(path, mode & 0o700).catch(() => undefined);
}

/** A folder and its content, forty files in all; a new DATA_DIR has no database folder yet. */
async function listTree(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return [folder, ...names.map((name) => join(folder, name))];
}

/** @throws StartError for a path that this user may not write: usually root made it in one start by mistake */
async function checkWritable(path: string, directory: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  const { R_OK, W_OK, X_OK } = constants;
  const failed = await access(path, found?.isDirectory() ? R_OK | W_OK | X_OK : W_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  // ENOENT: it does not exist yet.
  if (failed === undefined || failed === "ENOENT") return;
  if (failed === "EROFS")
    throw new StartError(
      `DATA_DIR ${directory} cannot be used: its file system is mounted read-only (EROFS). ` +
        "Mount it for writing (the system's log says whether a disk error did this), or set another.",
    );
  const whose = found && `; it belongs to user ${found.uid}, this is user ${process.getuid?.()}`;
  throw new StartError(
    `DATA_DIR ${directory} cannot be used: no right to write ${path} (${failed}${whose ?? ""}). Give it to this user, or set another.`,
  );
}

/** Undefined if the file system does not say: some network file systems report no blocks at all. */
async function readFreeMib(directory: string): Promise<number | undefined> {
  const { bavail, bsize, blocks } = await statfs(directory);
  return blocks === 0 ? undefined : (bavail * bsize) / mebibyte;
}
