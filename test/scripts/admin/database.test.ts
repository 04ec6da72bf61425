import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { chown, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openAdminDatabase } from "../../../scripts/admin/database.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-admin-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test("runs no database of its own under a service of another container", { timeout: 20_000 }, async () => {
  const service = createServer().listen(join(directory, "service.sock"));
  await once(service, "listening");
  const opening = openAdminDatabase({ DATA_DIR: directory }, "/");
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

test.runIf(process.getuid?.() === 0)(
  "root leaves no file that the service's own user could not write",
  async () => {
    const user = 65_534;
    await chown(directory, user, user);
    const admin = fileURLToPath(new URL("../../../scripts/admin.ts", import.meta.url));
    const env = { ...process.env, DATA_DIR: directory };
    const { status, stderr } = spawnSync(process.execPath, [admin, "migrate"], { env, encoding: "utf8" });
    expect(status, stderr).toBe(0);
    const files = (await readdir(directory, { recursive: true })).map((name) => join(directory, name));
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((path) => statSync(path).uid !== user)).toEqual([]);
  },
);
