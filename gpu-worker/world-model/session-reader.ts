/**
 * The learned reader of sessions: takes recent events and the caller's tools as rows of vectors and numbers, and gives a logit
 * for each tool and ending. training/sessions/session_reader.py is the network, reader_graph.py beside it the graph with its inputs.
 * The rows of a run do not influence each other.
 */
import type { Floats, OnnxSession } from "../inference/session.ts";
import type { Scratch } from "./scratch.ts";

/** Kinds of events, in the order of the network's columns. */
export const eventKinds = ["system", "user", "assistant", "call", "result", "planned", "part"] as const;
export type EventKind = (typeof eventKinds)[number];
/** Columns of an event's numbers, each 0 or 1. */
export const eventColumn = { isAfterGoal: 0, isGoal: 1, looksFailed: 2, looksEmpty: 3 } as const;
export const eventNumbers = Object.keys(eventColumn).length;
/** Columns of a tool's numbers (planning/tools/tool-numbers.ts). */
export const toolNumbers = 25;
export const maxEvents = 32;
export const endings = ["done", "ask", "noTool"] as const;
export type Ending = (typeof endings)[number];

export type ReadEvent = { kind: EventKind; vector: Float32Array; numbers: readonly number[] };
export type ToolRow = { vector: Float32Array; numbers: Float32Array };
/** `events`: newest first, at most `maxEvents`. `tools`: at least one. */
export type SessionView = { events: readonly ReadEvent[]; tools: readonly ToolRow[] };

export type SessionReader = {
  /** For each view: a logit per tool in their order, then one per ending. */
  read(views: readonly SessionView[]): Promise<Float64Array[]>;
};

/** Columns of an event's marks: whether it is the endings' token, then its kind, its numbers, and its place. */
const markColumns = {
  isEndings: 0,
  kind: 1,
  numbers: 1 + eventKinds.length,
  place: 1 + eventKinds.length + eventNumbers,
} as const;
const markCount = markColumns.place + maxEvents;

/** Most tokens of one run: more are no faster and take more memory between its layers. */
const maxTokens = 512;

export function createSessionReader(session: OnnxSession, width: number, scratch: Scratch): SessionReader {
  const block = (shape: readonly number[]): Floats => {
    const values = scratch.floats(shape.reduce((size, dimension) => size * dimension, 1));
    values.fill(0);
    return { kind: "float32", values, shape };
  };

  /** Runs views with equally many events and equally many tools together. */
  async function runAlike(views: readonly SessionView[]): Promise<Float64Array[]> {
    const rows = views.length;
    const [events, tools] = [1 + views[0]!.events.length, views[0]!.tools.length];
    const feeds = {
      events: block([rows, events, width]),
      marks: block([rows, events, markCount]),
      tools: block([rows, tools, width]),
      tool_numbers: block([rows, tools, toolNumbers]),
    };
    for (const [row, view] of views.entries()) fill(feeds, view, row, width);
    const choices = tools + endings.length;
    const logits = block([rows, choices]);
    await session.run(feeds, { logits });
    const found = views.map((_, row) =>
      Float64Array.from(logits.values.subarray(row * choices, (row + 1) * choices)),
    );
    scratch.giveBack(logits.values);
    for (const { values } of Object.values(feeds).reverse()) scratch.giveBack(values);
    return found;
  }

  return {
    async read(views) {
      const found = new Array<Float64Array>(views.length);
      const shapes = Map.groupBy(
        views.keys(),
        (at) => `${views[at]!.events.length} events, ${views[at]!.tools.length} tools`,
      );
      for (const indexes of shapes.values()) {
        const { events, tools } = views[indexes[0]!]!;
        const rowsPerRun = Math.max(1, Math.floor(maxTokens / (1 + events.length + tools.length)));
        for (let begin = 0; begin < indexes.length; begin += rowsPerRun) {
          const part = indexes.slice(begin, begin + rowsPerRun);
          const logits = await runAlike(part.map((at) => views[at]!));
          for (const [row, at] of part.entries()) found[at] = logits[row]!;
        }
      }
      return found;
    },
  };
}

type Feeds = Record<"events" | "marks" | "tools" | "tool_numbers", Floats>;

/** Writes a view into its row of the zeroed inputs. The first event is the endings' token, which has no text. */
function fill(feeds: Feeds, view: SessionView, row: number, width: number): void {
  const firstEvent = row * (1 + view.events.length);
  feeds.marks.values[firstEvent * markCount + markColumns.isEndings] = 1;
  for (const [place, { kind, vector, numbers }] of view.events.entries()) {
    const at = firstEvent + 1 + place;
    const marks = feeds.marks.values.subarray(at * markCount, (at + 1) * markCount);
    marks[markColumns.kind + eventKinds.indexOf(kind)] = 1;
    marks.set(numbers, markColumns.numbers);
    marks[markColumns.place + place] = 1;
    feeds.events.values.set(vector, at * width);
  }
  for (const [index, { vector, numbers }] of view.tools.entries()) {
    const at = row * view.tools.length + index;
    feeds.tools.values.set(vector, at * width);
    feeds.tool_numbers.values.set(numbers, at * toolNumbers);
  }
}
