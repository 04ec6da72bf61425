/**
 * The import graph of the source, read from the text of each file (type imports count: they bind houses
 * together just as well), and the rules that can be broken in it. Pure but for `readSources`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** Path from the root -> text. */
export type Sources = ReadonlyMap<string, string>;
/** Path -> what it imports: paths from the root, or package names as written. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;
/** Lowest first; an entry is a folder ("billing/") or a file of the house ("env.ts"). */
export type Floors = readonly (readonly string[])[];

/** Every .ts and .tsx file below the folders, except generated and third-party ones. */
export function readSources(root: string, folders: readonly string[]): Sources {
  const sources = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(entry) || entry.includes("node_modules")) continue;
      const path = posix.join(folder, entry);
      sources.set(path, readFileSync(join(root, path), "utf8"));
    }
  }
  return sources;
}

const importPattern =
  /(?:^|[;}\s])(?:import|export)\s[^"';]*?\bfrom\s*"([^"]+)"|(?:^|[;}\s])import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/g;

export function buildImportGraph(sources: Sources): ImportGraph {
  return new Map(
    [...sources].map(([path, text]) => {
      const specifiers = [...withoutComments(text).matchAll(importPattern)].map(
        (match) => (match[1] ?? match[2] ?? match[3])!,
      );
      return [
        path,
        specifiers.map((name) => (name.startsWith(".") ? posix.join(posix.dirname(path), name) : name)),
      ];
    }),
  );
}

/** The text without its comments. Strings in it must hold no comment marks at the beginning of a line or after a space. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
}

/** Files on no floor, and imports that go up or to a neighbour. `house` is a top folder such as "edge". */
export function findFloorBreaks(graph: ImportGraph, house: string, floors: Floors): string[] {
  const placeOf = (path: string): { floor: number; room: string } | undefined => {
    const inside = path.slice(house.length + 1);
    const room = inside.includes("/") ? inside.slice(0, inside.indexOf("/") + 1) : inside;
    const floor = floors.findIndex((rooms) => rooms.includes(room));
    return floor < 0 ? undefined : { floor, room };
  };
  return [...graph].flatMap(([path, imports]) => {
    if (!path.startsWith(`${house}/`)) return [];
    const here = placeOf(path);
    if (here === undefined) return [`${path} is on no floor`];
    return imports.flatMap((target) => {
      const there = target.startsWith(`${house}/`) ? placeOf(target) : undefined;
      if (there === undefined || there.room === here.room || there.floor < here.floor) return [];
      return [`${path} -> ${target}`];
    });
  });
}

/** Imports from a house to one it must not know, or of a package it must not use. */
export function findForbiddenImports(
  graph: ImportGraph,
  house: string,
  isForbidden: (target: string, path: string) => boolean,
): string[] {
  return [...graph].flatMap(([path, imports]) =>
    path.startsWith(`${house}/`)
      ? imports.filter((target) => isForbidden(target, path)).map((target) => `${path} -> ${target}`)
      : [],
  );
}

/** Each cycle once, as the chain of its files. */
export function findCycles(graph: ImportGraph): string[] {
  const cycles: string[] = [];
  const finished = new Set<string>();
  const visit = (path: string, chain: readonly string[]) => {
    const start = chain.indexOf(path);
    if (start >= 0) {
      cycles.push([...chain.slice(start), path].join(" -> "));
      return;
    }
    if (finished.has(path)) return;
    for (const target of graph.get(path) ?? []) if (graph.has(target)) visit(target, [...chain, path]);
    finished.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}
