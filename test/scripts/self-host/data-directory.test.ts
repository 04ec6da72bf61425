// Problems of DATA_DIR are reported before anything starts, in one sentence.
import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prepareDataDirectory } from "../../../scripts/self-host/data-directory.ts";
import { StartError } from "../../../scripts/self-host/settings.ts";

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-data-"));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const prepare = (path: string) => prepareDataDirectory(path, () => {});

test("is made for its owner alone, and may be prepared again", async () => {
  const directory = join(parent, "one", "two");
  await prepare(directory);
  await prepare(directory);
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
});

test.each([
  ["db", "a restored database"],
  ["edge", "the code that has the secrets"],
])("the folder %s is closed to other users: %s", async (name) => {
  const directory = join(parent, "open");
  await mkdir(join(directory, name, "inner"), { recursive: true, mode: 0o755 });
  await prepare(directory);
  expect((await stat(join(directory, name))).mode & 0o777).toBe(0o700);
});

// As `cp` restores them from a backup.
test.each([
  ["secrets.json", "every user reads is closed to all but its owner", 0o644, 0o600],
  ["demo-key", "every user reads is closed to all but its owner", 0o664, 0o600],
  ["demo-key", "one group reads stays open to it", 0o640, 0o640],
])("the file %s that %s", async (name, _, before, after) => {
  const file = join(parent, name);
  await writeFile(file, "");
  await chmod(file, before);
  await prepare(parent);
  expect((await stat(file)).mode & 0o777).toBe(after);
});

test.each([
  ["a file", "file", "EEXIST"],
  ["below a file", "file/data", "ENOTDIR"],
])("%s is no folder: the operator is told which variable to set", async (_, name, code) => {
  await writeFile(join(parent, "file"), "");
  const failed = await prepare(join(parent, name)).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(StartError);
  expect((failed as Error).message).toContain(`DATA_DIR ${join(parent, name)} cannot be made (${code})`);
});

test("a place that takes no folders is told at once", async () => {
  const failed = await prepare("/proc/svc/data").catch((error: unknown) => error);
  expect((failed as Error).message).toMatch(/^DATA_DIR \/proc\/svc\/data cannot be made \(\w+\)/);
});

const modulePath = fileURLToPath(new URL("../../../scripts/self-host/data-directory.ts", import.meta.url));
/** `before`: a statement that runs once the module is there, which a checkout of root's may hide from other users. */
const prepareScript = (before = "") =>
  `import(process.argv[1]).then(({ prepareDataDirectory: p }) => { ${before}; return p(process.argv[2], () => {}); })` +
  ".then(() => console.log('fine'), (error) => console.log(error.name, error.message))";

const unshare = "/usr/bin/unshare";
const asRoot = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
/** A shell in which a folder is mounted for reading alone. The test is left out where this user may not mount, as in most containers. */
const inNamespace = [...asRoot, "--mount", "sh", "-c"];
const readOnly = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
const canMount = spawnSync(unshare, [...inNamespace, readOnly, tmpdir(), "true"]).status === 0;

test.runIf(canMount)(
  "a file system mounted read-only is called that, since another owner of the folder would not help",
  () => {
    const words = [parent, process.execPath, "-e", prepareScript(), modulePath, parent];
    const { stdout } = spawnSync(unshare, [...inNamespace, readOnly, ...words], { encoding: "utf8" });
    expect(stdout).toBe(
      `StartError DATA_DIR ${parent} cannot be used: its file system is mounted read-only (EROFS). ` +
        "Mount it for writing (the system's log says whether a disk error did this), or set another.\n",
    );
  },
);

/** Prepares the folder in a process without root's rights, which no mode keeps out. If this process is not root's, as its user. */
function prepareAsUser(directory: string): string {
  const script = prepareScript("process.getuid() === 0 && process.setuid(65534)");
  return spawnSync(process.execPath, ["-e", script, modulePath, directory], { encoding: "utf8" }).stdout;
}

test.each([
  ["db/dbs/default/data", false],
  ["edge/console/index.html", false],
  // lost+found belongs to root on a mounted disk, and must not stop the start.
  ["lost+found/something", true],
])("a file that the user may not write: %s, and the start is fine: %s", async (name, isFine) => {
  const path = join(parent, "data", name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, "");
  for (const folder of [".", "db", "db/dbs", "db/dbs/default", "edge", "edge/console"]) {
    await mkdir(join(parent, "data", folder), { recursive: true });
  }
  spawnSync("chmod", ["-R", "a+rwX", parent]);
  spawnSync("chmod", ["a-w", path]);
  const said = prepareAsUser(join(parent, "data"));
  if (isFine) expect(said).toBe("fine\n");
  else
    expect(said).toMatch(
      new RegExp(`^StartError DATA_DIR .* no right to write ${path} \\(EACCES; it belongs`),
    );
});
