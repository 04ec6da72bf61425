// Checks the rules of the code: which folder may import which, how files are named, how long they may be. CONTRIBUTING gives the
// reasons; a rule that no longer fits is changed there and here, in one commit.
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { version } from "../edge/routes/health.ts";
import { providerKinds } from "../shared/providers.ts";
import {
  buildImportGraph,
  type Floors,
  findCycles,
  findFloorBreaks,
  findForbiddenImports,
  readSources,
  withoutComments,
} from "./support/import-graph.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = readSources(root, ["edge", "gpu-worker", "shared", "scripts"]);
const graph = buildImportGraph(sources);

const maxFileLines = 250;
const forbiddenNames = /^(utils?|helpers?|common|misc|manager|service)\.tsx?$/;

/** Lowest first. A room may import lower floors, itself and shared/; neighbours do not meet. */
const edgeFloors: Floors = [
  ["telemetry/", "sign-in-settings.ts", "stream/"],
  ["console/", "env.ts", "api-key.ts", "catalog/", "db/"],
  ["dialects/"],
  ["vault/", "billing/", "providers/", "gpu-workers/", "planning/", "admission/", "sign-in/"],
  ["pipeline/", "idempotency/"],
  ["middleware/", "expiring-rows.ts"],
  ["routes/"],
  ["openapi/"],
  ["app.ts", "scheduled.ts", "garbage.ts"],
  ["index.ts"],
];
const gpuWorkerFloors: Floors = [
  [
    "config.ts",
    "log.ts",
    "refusal.ts",
    "metrics.ts",
    "node-flags.ts",
    "garbage.ts",
    "fair-queue.ts",
    "inference/",
  ],
  ["batcher.ts", "admission.ts", "body-reader.ts"],
  ["world-model/"],
  ["planning/"],
  ["planner-thread.ts", "task-cost.ts"],
  ["planner-pool.ts", "embed-parts.ts", "plan-pieces.ts"],
  ["size-service.ts"],
  ["app.ts"],
  ["run-worker.ts", "check-speed.ts"],
  ["check-worker.ts"],
  ["main.ts", "training/"],
];

describe("floors", () => {
  test("edge imports only downwards", () => {
    expect(findFloorBreaks(graph, "edge", edgeFloors)).toEqual([]);
  });

  test("gpu-worker imports only downwards", () => {
    expect(findFloorBreaks(graph, "gpu-worker", gpuWorkerFloors)).toEqual([]);
  });

  test.each([
    ["edge", edgeFloors],
    ["gpu-worker", gpuWorkerFloors],
  ] as const)("docs/architecture.md lists those of %s, and each is there", (house, floors) => {
    const isThere = (room: string) => [...sources.keys()].some((path) => path.startsWith(`${house}/${room}`));
    expect(floors.flat().filter((room) => !isThere(room))).toEqual([]);
    const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
    const listed = new RegExp(`^${house} +(\\S[^\\n]*(?:\\n {4,}[^\\n]*)*)$`, "m").exec(page)?.[1] ?? "";
    const roomsOf = (floor: string) => floor.split(",").map((room) => room.trim());
    const names = floors.map((rooms) => rooms.map((room) => room.replace(/\/$|\.ts$/, "")));
    expect(listed.split("→").map((floor) => roomsOf(floor).sort())).toEqual(
      [["shared"], ...names].reverse().map((rooms) => rooms.toSorted()),
    );
  });

  test("edge and gpu-worker meet only in shared/", () => {
    expect(
      findForbiddenImports(graph, "edge", (target) => /^(gpu-worker|scripts|test)\//.test(target)),
    ).toEqual([]);
    expect(
      findForbiddenImports(graph, "gpu-worker", (target) => /^(edge|scripts|test)\//.test(target)),
    ).toEqual([]);
  });

  test("what npm start runs is no part of a command: it knows none of them", () => {
    const lent = /^scripts\/(self-host|console)\/|^scripts\/(migrate|sign-in-link)\.ts$/;
    const command = (target: string) => target.startsWith("scripts/") && !lent.test(target);
    expect(findForbiddenImports(graph, "scripts/self-host", command)).toEqual([]);
  });

  test("the console is a page of its own: it and the edge meet on the wire and in shared/", () => {
    const isConsole = (path: string) => path.startsWith("edge/console/");
    const crossing = (target: string, path: string) =>
      isConsole(target) !== isConsole(path) && target.startsWith("edge/");
    expect(findForbiddenImports(graph, "edge", crossing)).toEqual([]);
  });

  test("shared knows neither of them, and only zod and jose of the outside world", () => {
    const allowed = /^(shared\/|zod$|jose$)/;
    expect(findForbiddenImports(graph, "shared", (target) => !allowed.test(target))).toEqual([]);
  });

  test("one side of one wire knows no other: what they share lies above, in edge/dialects", () => {
    const roomOf = (path: string) => /^edge\/dialects\/(caller|provider)\/[a-z-]+\//.exec(path)?.[0];
    const foreign = (target: string, path: string) => {
      const [own, theirs] = [roomOf(path), roomOf(target)];
      return theirs !== undefined && own !== theirs;
    };
    expect(findForbiddenImports(graph, "edge/dialects", foreign)).toEqual([]);
  });

  test("callers' side and providers' side do not meet: what both need lies above, in edge/dialects", () => {
    const sideOf = (path: string) => /^edge\/dialects\/(caller|provider)\//.exec(path)?.[0];
    const crossing = (target: string, path: string) => {
      const [own, theirs] = [sideOf(path), sideOf(target)];
      return theirs !== undefined && own !== theirs;
    };
    expect(findForbiddenImports(graph, "edge/dialects", crossing)).toEqual([]);
  });

  test("a dialect's file says its direction: callers write requests and read answers, providers the reverse", () => {
    const namesOf = (side: string) =>
      [...sources.keys()]
        .filter((path) => path.startsWith(`edge/dialects/${side}/`))
        .map((path) => posix.basename(path));
    const [caller, provider] = [namesOf("caller"), namesOf("provider")];
    expect(
      caller.filter((name) => /^(read-(reply|stream|end|error)|write-(request|messages))/.test(name)),
    ).toEqual([]);
    expect(
      provider.filter((name) => /^(write-(reply|stream|end|error)|read-(request|message))/.test(name)),
    ).toEqual([]);
    expect([...new Set(caller.filter((name) => provider.includes(name)))]).toEqual(["schema.ts"]);
  });

  test("no file imports itself by way of others", () => {
    expect(findCycles(graph)).toEqual([]);
  });
});

describe("borders", () => {
  test("the edge uses no Node module", () => {
    expect(findForbiddenImports(graph, "edge", (target) => target.startsWith("node:"))).toEqual([]);
  });

  test("only gpu-worker/inference/session.ts imports onnxruntime-node", () => {
    const users = [...graph]
      .filter(([, imports]) => imports.includes("onnxruntime-node"))
      .map(([path]) => path);
    expect(users.filter((path) => path !== "gpu-worker/inference/session.ts")).toEqual([]);
  });

  test("in the edge only the registry, the table of vendor prefixes and the console's titles name every provider", () => {
    const namesAll = [...sources]
      .filter(([path]) => path.startsWith("edge/"))
      .filter(([, text]) =>
        providerKinds.every((kind) => new RegExp(`\\b${kind}\\b`).test(withoutComments(text))),
      );
    expect(namesAll.map(([path]) => path).sort()).toEqual([
      "edge/catalog/router-id.ts",
      "edge/console/api/account-wire.ts",
      "edge/providers/registry.ts",
    ]);
  });
});

describe("files", () => {
  test("are named for what they own, in kebab-case", () => {
    const names = [...sources.keys()].map((path) => posix.basename(path));
    expect(names.filter((name) => forbiddenNames.test(name))).toEqual([]);
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/.test(name))).toEqual([]);
  });

  test("say in a header what they own", () => {
    const silent = [...sources].filter(([, text]) => !/^(#!.*\n)?(\/\*\*|\/\/)/.test(text));
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  test("stay short", () => {
    const lengths = [...sources].map(([path, text]) => ({ path, lines: text.split("\n").length - 1 }));
    expect(lengths.filter(({ lines }) => lines > maxFileLines)).toEqual([]);
    const median = lengths.map(({ lines }) => lines).sort((left, right) => left - right)[lengths.length >> 1];
    expect(median).toBeLessThan(100);
  });
});

test("the service tells the version of package.json", () => {
  const manifest: { version: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(version).toBe(manifest.version);
});

describe("the checks themselves", () => {
  const floors: Floors = [["low/", "base.ts"], ["high/"]];
  const graphOf = (files: Record<string, string>) => buildImportGraph(new Map(Object.entries(files)));

  test.each([
    [
      "upwards",
      { "edge/low/a.ts": 'import { b } from "../high/b.ts";' },
      ["edge/low/a.ts -> edge/high/b.ts"],
    ],
    [
      "a type from upwards",
      { "edge/low/a.ts": 'import type { B } from "../high/b.ts";' },
      ["edge/low/a.ts -> edge/high/b.ts"],
    ],
    ["a neighbour", { "edge/base.ts": 'export * from "./low/a.ts";' }, ["edge/base.ts -> edge/low/a.ts"]],
    [
      "later on",
      { "edge/low/a.ts": 'const b = await import("../high/b.ts");' },
      ["edge/low/a.ts -> edge/high/b.ts"],
    ],
    [
      "over several lines",
      { "edge/low/a.ts": 'import {\n  b,\n} from "../high/b.ts";' },
      ["edge/low/a.ts -> edge/high/b.ts"],
    ],
    ["from nowhere", { "edge/attic.ts": "" }, ["edge/attic.ts is on no floor"]],
    ["downwards", { "edge/high/b.ts": 'import "../low/a.ts";' }, []],
    ["in its own room", { "edge/low/a.ts": 'import { c } from "./c.ts";' }, []],
    ["in a comment", { "edge/low/a.ts": '// import { b } from "../high/b.ts";' }, []],
  ])("see an import %s", (_, files, breaks) => {
    expect(findFloorBreaks(graphOf(files as Record<string, string>), "edge", floors)).toEqual(breaks);
  });

  test("see a cycle over three files", () => {
    const files = { "a.ts": 'import "./b.ts";', "b.ts": 'import "./c.ts";', "c.ts": 'import "./a.ts";' };
    expect(findCycles(graphOf(files))).toEqual(["a.ts -> b.ts -> c.ts -> a.ts"]);
  });
});
