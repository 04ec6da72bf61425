// gpu-worker/deploy matches the worker that it installs: packages and their versions, V8's flags, source files.
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workerNodeFlags, workerVariables } from "../gpu-worker/node-flags.ts";
import { buildImportGraph, readSources } from "./support/import-graph.ts";

const root = new URL("..", import.meta.url).pathname;
const read = (path: string) => readFileSync(`${root}${path}`, "utf8");
const manifest = JSON.parse(read("gpu-worker/deploy/package.json"));

test("its manifest names the packages that the worker imports, in the root's versions, and no others", () => {
  const graph = buildImportGraph(readSources(root, ["gpu-worker", "shared"]));
  const packages = new Set<string>();
  const seen = new Set<string>();
  const follow = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const one of graph.get(path) ?? []) {
      if (graph.has(one)) follow(one);
      else if (!one.startsWith("node:")) packages.add(one.split("/")[0]!);
    }
  };
  follow("gpu-worker/main.ts");
  // Started by their URL, not imported.
  follow("gpu-worker/planner-thread.ts");
  follow("gpu-worker/planning/planner.ts");
  expect(Object.keys(manifest.dependencies)).toEqual([...packages].sort());
  const { dependencies } = JSON.parse(read("package.json"));
  expect(manifest.dependencies).toEqual(
    Object.fromEntries([...packages].sort().map((name) => [name, dependencies[name]])),
  );
  expect([...seen].filter((path) => !/^(gpu-worker|shared)\//.test(path))).toEqual([]);
});

test.each(["Dockerfile", "Dockerfile.cuda", "svc-gpu-worker.service", "package.json"])(
  "%s starts the worker with the flags and variables of node-flags.ts",
  (file) => {
    const text = read(`gpu-worker/deploy/${file}`).replaceAll(/[",]/g, "");
    expect(text).toContain(["node", ...workerNodeFlags, "gpu-worker/main.ts"].join(" "));
    for (const [name, value] of Object.entries(workerVariables)) expect(text).toContain(`${name}=${value}`);
  },
);

test.each(["Dockerfile", "Dockerfile.cuda"])("%s copies what is there, and nothing with a secret", (file) => {
  const copied = read(`gpu-worker/deploy/${file}`)
    .split("\n")
    .filter((line) => line.startsWith("COPY ") && !line.includes("--from"))
    .flatMap((line) => line.split(" ").slice(1, -1));
  expect(copied.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
  const allowed = read(`gpu-worker/deploy/${file}.dockerignore`).split("\n");
  expect(allowed[0]).toBe("**");
  for (const path of copied) expect(allowed).toContain(`!${path}`);
});

test("install.sh refuses a Node that cannot run the worker, before it lays anything down", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-install-"));
  try {
    const old = join(folder, "node");
    // Real versions are compared by the real node, told that it is another one.
    writeFileSync(
      old,
      `#!/bin/sh\n[ "$1" = --version ] && { echo v22.17.1; exit; }\nexec '${process.execPath}' --import '${folder}/old.mjs' "$@"\n`,
      { mode: 0o755 },
    );
    writeFileSync(
      join(folder, "old.mjs"),
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.17.1" } });',
    );
    const { status, stderr } = spawnSync(`${root}gpu-worker/deploy/install.sh`, [join(folder, "worker")], {
      env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
      encoding: "utf8",
    });
    expect(stderr).toContain("needs Node 22.18 or newer, and `node` here is v22.17.1");
    expect(status).toBe(1);
    expect(existsSync(join(folder, "worker"))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("install.sh lays down what the unit's own user can read, also from a checkout and a shell that are closed to others", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-install-"));
  const [checkout, target] = [join(folder, "checkout"), join(folder, "worker")];
  try {
    const closed = { recursive: true, mode: 0o700 };
    for (const path of ["gpu-worker/deploy", "shared", "bin"]) mkdirSync(join(checkout, path), closed);
    for (const path of ["gpu-worker/main.ts", "shared/signature.ts", ".npmrc"])
      writeFileSync(join(checkout, path), "", { mode: 0o600 });
    for (const name of ["install.sh", "package.json", "package-lock.json"])
      cpSync(`${root}gpu-worker/deploy/${name}`, join(checkout, "gpu-worker/deploy", name));
    const npm = '#!/bin/sh\nmkdir -p node_modules/zod && echo "{}" > node_modules/zod/package.json\n';
    writeFileSync(join(checkout, "bin/npm"), npm, { mode: 0o755 });
    const install = `umask 077; exec bash '${checkout}/gpu-worker/deploy/install.sh' '${target}'`;
    const env = { ...process.env, PATH: `${checkout}/bin:${process.env.PATH}` };
    expect(spawnSync("sh", ["-c", install], { env, encoding: "utf8" })).toMatchObject({ status: 0 });
    const closedToOthers = [
      ".",
      "gpu-worker",
      "gpu-worker/main.ts",
      "shared/signature.ts",
      "package.json",
      ".npmrc",
    ]
      .concat("node_modules/zod", "node_modules/zod/package.json")
      .filter((path) => (statSync(join(target, path)).mode & 0o004) === 0);
    expect(closedToOthers).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const analyze = "/usr/bin/systemd-analyze";

/** Left out where systemd is not installed, as in most containers and on macOS. */
test.runIf(existsSync(analyze))("systemd accepts the unit", () => {
  const unit = `${root}gpu-worker/deploy/svc-gpu-worker.service`;
  expect(execFileSync(analyze, ["verify", unit], { encoding: "utf8" })).toBe("");
});
