/**
 * Reads evaluation sets: JSON Lines, plain or gzipped, one goal per row, with tool pools in separate files. Measures for which a
 * row lacks the fields are left out; a line that is no row is counted and skipped.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import type { PlanTurn } from "../../shared/planning.ts";
import { readTranscript } from "./transcripts.ts";

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const Tool = z.looseObject({ name: z.string(), description: text });
export type Tool = z.infer<typeof Tool>;
/** A list of tools, or an object from name to description. */
const Tools = z.union([
  z.array(Tool),
  z
    .record(z.string(), text)
    .transform((byName) =>
      Object.entries(byName).map(([name, description]): Tool => ({ name, description })),
    ),
]);
const Step = z.looseObject({ state: text, action: z.string(), next: text });
/** A tool by its name, or by its index among the actions. */
const LinkEnd = z.union([z.string(), z.int()]);
/** Which call's result another call uses. */
const Link = z.union([
  z.tuple([LinkEnd, LinkEnd]),
  z
    .looseObject({ source: LinkEnd, target: LinkEnd })
    .transform(({ source, target }) => [source, target] as const),
  z.looseObject({ from: LinkEnd, to: LinkEnd }).transform(({ from, to }) => [from, to] as const),
]);

const Row = z.looseObject({
  goal: z.string().min(1),
  state: text,
  actions: z.array(z.string()).nullish(),
  tools: Tools.nullish(),
  tool_pool: z.string().nullish(),
  steps: z.array(Step).nullish(),
  links: z.array(Link).nullish().catch(undefined),
});

export type EvaluationRow = {
  /** For a transcript, its last user message. */
  goal: string;
  state: string;
  /** For a transcript, all its turns, oldest first; else empty. */
  turns: PlanTurn[];
  actions: string[];
  /** Pairs of names: the second call uses the first one's result. */
  links: (readonly [string, string])[];
  tools: Tool[];
  steps: z.infer<typeof Step>[];
};
export type EvaluationSet = { name: string; rows: EvaluationRow[]; skipped: number };

/** The content of `actions` if no tool fits. */
export const noTool = "NONE";

const ending = /\.jsonl(\.gz)?$/;

/** The names of all sets in a folder, in order. */
export const listSets = (directory: string): string[] =>
  readdirSync(directory)
    .filter((file) => ending.test(file))
    .sort();

export function readSet(directory: string, file: string): EvaluationSet {
  const pools = new Map<string, Tool[]>();
  const pool = (name: string): Tool[] => {
    const known = pools.get(name) ?? readPool(directory, name);
    pools.set(name, known);
    return known;
  };
  let skipped = 0;
  const rows = readText(join(directory, file))
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line): EvaluationRow[] => {
      const parsed = Row.safeParse(parseJson(line));
      if (!parsed.success) {
        skipped += 1;
        return [];
      }
      const { goal, state, tools, tool_pool: poolName, steps, links } = parsed.data;
      const actions = parsed.data.actions ?? steps?.map(({ action }) => action) ?? [];
      const nameOf = (end: string | number) => (typeof end === "number" ? (actions[end] ?? "") : end);
      const turns = readTranscript(goal);
      return [
        {
          goal: turns.findLast(({ kind }) => kind === "user")?.text ?? goal,
          state,
          turns,
          actions,
          links: links?.map(([from, to]) => [nameOf(from), nameOf(to)] as const) ?? [],
          tools: tools ?? (poolName ? pool(poolName) : []),
          steps: steps ?? [],
        },
      ];
    });
  return { name: file.replace(ending, ""), rows, skipped };
}

function readPool(directory: string, name: string): Tool[] {
  const file = [`${name}_tools.json.gz`, `${name}_tools.json`, `${name}.json.gz`, `${name}.json`]
    .map((candidate) => join(directory, candidate))
    .find(existsSync);
  if (!file)
    throw new Error(`the pool of tools ${name} is not beside its rows: expected ${name}_tools.json.gz`);
  return Tools.parse(JSON.parse(readText(file)));
}

function readText(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
