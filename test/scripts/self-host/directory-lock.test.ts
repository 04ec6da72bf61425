// Two containers on one volume do not share the kernel's abstract socket names: only the socket file in the directory is common.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isTaken, takeDirectory } from "../../../scripts/self-host/directory-lock.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-directory-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const socketFile = () => join(directory, "service.sock");
/** A holder as one in another network namespace is seen from here: it has the socket file, but no name in the kernel. */
const holder = "require('node:net').createServer().listen(process.argv[1], () => console.log('holds'))";

test("is refused while a holder answers whose name this network namespace does not know", async () => {
  const other = createServer().listen(socketFile());
  await once(other, "listening");
  expect(await isTaken(directory)).toBe(true);
  expect(await takeDirectory(directory)).toBe(false);
  other.close();
});

test("is free again when its holder was killed, and left its file behind", async () => {
  const other = spawn(process.execPath, ["-e", holder, socketFile()], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(other.stdout, "data");
  other.kill("SIGKILL");
  await once(other, "exit");
  expect(existsSync(socketFile())).toBe(true);
  expect(await isTaken(directory)).toBe(false);
  expect(await takeDirectory(directory)).toBe(true);
  expect(await isTaken(directory)).toBe(true);
});

test("a file of that name that is no socket is replaced", async () => {
  await writeFile(socketFile(), "");
  expect(await takeDirectory(directory)).toBe(true);
  expect(await isTaken(directory)).toBe(true);
});

test("has one holder also where its path is longer than a socket's may be", async () => {
  const deep = join(directory, "d".repeat(200));
  await mkdir(deep);
  expect(await takeDirectory(deep)).toBe(true);
  expect(await readdir(deep)).toEqual(["service.sock"]);
  expect(await isTaken(deep)).toBe(true);
  expect(await takeDirectory(deep)).toBe(false);
});

test("a directory that is not there is nobody's", async () => {
  expect(await isTaken(join(directory, "none"))).toBe(false);
});
