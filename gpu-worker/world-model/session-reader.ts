/**
 * The learned reader of sessions: takes recent events and the caller's tools as rows of vectors and numbers, and gives a logit
 * for each tool and ending. training/session_reader.py is the network. The rows of a run do not influence each other.
 */
import type { Floats, OnnxSession } from "../onnx.ts";
import type { Scratch } from "./scratch.ts";

/** Kinds of events, in the order of the network's columns. */
export const eventKinds = ["system", "user", "assistant", "call", "result", "planned", "part"] as const;
export type EventKind = (typeof eventKinds)[number];
/** Columns of an event's numbers. */
export const eventColumn = { isAfterGoal: 0, isGoal: 1, looksFailed: 2, looksEmpty: 3 } as const;
export const eventNumbers = Object.keys(eventColumn).length;
export const toolNumbers = 25;
export const maxEvents = 32;
export const endings = ["done", "ask", "noTool"] as const;
export type Ending = (typeof endings)[number];

export type ReadEvent = { kind: EventKind; vector: Float32Array; numbers: readonly number[] };
export type OfferedTool = { vector: Float32Array; numbers: Float32Array };
/** `events`: newest first, at most 32. `tools`: at least one. */
export type SessionView = { events: readonly ReadEvent[]; tools: readonly OfferedTool[] };

export type SessionReader = {
  /** For each view: a logit per tool in their order, then one per ending. */
  read(views: readonly SessionView[]): Promise<Float64Array[]>;
};

/**
 * Numbers of events and tools are padded to these sizes, beyond them to multiples of the last. A view's padding does not depend
 * on its batch.
 */
const eventSizes = [4, 8, 12, 16, 24, maxEvents];
const toolSizes = [4, 8, 12, 16, 24, 32, 48, 64, 96, 128];
const sizeFor = (sizes: readonly number[], count: number): number =>
  sizes.find((size) => size >= count) ?? Math.ceil(count / sizes.at(-1)!) * sizes.at(-1)!;

/** More than the events of any view, so that a pair of sizes can be written as one number. */
const shapeBase = 1_000;
/** Most tokens of one run: more are no faster and take more memory between its layers. */
const maxTokens = 512;

export function createSessionReader(session: OnnxSession, width: number, scratch: Scratch): SessionReader {
  const block = (shape: readonly number[]): Floats => {
    const values = scratch.floats(shape.reduce((size, dimension) => size * dimension, 1));
    values.fill(0);
    return { kind: "float32", values, shape };
  };

  /** Runs views of one shape together. */
  async function runAlike(
    views: readonly SessionView[],
    events: number,
    tools: number,
  ): Promise<Float64Array[]> {
    const rows = views.length;
    const feeds = {
      events: block([rows, events, width]),
      kinds: block([rows, events, eventKinds.length]),
      event_numbers: block([rows, events, eventNumbers]),
      event_mask: block([rows, events]),
      tools: block([rows, tools, width]),
      tool_numbers: block([rows, tools, toolNumbers]),
      tool_mask: block([rows, tools]),
    };
    fill(feeds, views, width);
    const logits = block([rows, tools + endings.length]);
    await session.run(feeds, { logits });
    const found = views.map((view, row) => {
      const own = logits.values.subarray(
        row * (tools + endings.length),
        (row + 1) * (tools + endings.length),
      );
      return Float64Array.from([...own.subarray(0, view.tools.length), ...own.subarray(tools)]);
    });
    scratch.giveBack(logits.values);
    for (const { values } of Object.values(feeds).reverse()) scratch.giveBack(values);
    return found;
  }

  return {
    async read(views) {
      const found = new Array<Float64Array>(views.length);
      const shapes = Map.groupBy(views.keys(), (at) => {
        const { events, tools } = views[at]!;
        return sizeFor(toolSizes, tools.length) * shapeBase + sizeFor(eventSizes, events.length);
      });
      for (const [shape, indexes] of shapes) {
        const tools = Math.floor(shape / shapeBase);
        const events = shape % shapeBase;
        const rowsPerRun = Math.max(1, Math.floor(maxTokens / (1 + events + tools)));
        for (let begin = 0; begin < indexes.length; begin += rowsPerRun) {
          const part = indexes.slice(begin, begin + rowsPerRun);
          const logits = await runAlike(
            part.map((at) => views[at]!),
            events,
            tools,
          );
          for (const [row, at] of part.entries()) found[at] = logits[row]!;
        }
      }
      return found;
    },
  };
}

type Feeds = Record<
  "events" | "kinds" | "event_numbers" | "event_mask" | "tools" | "tool_numbers" | "tool_mask",
  Floats
>;

/** Writes views into zeroed inputs, one in each row. */
function fill(feeds: Feeds, views: readonly SessionView[], width: number): void {
  const events = feeds.event_mask.shape[1]!;
  const tools = feeds.tool_mask.shape[1]!;
  for (const [row, view] of views.entries()) {
    for (const [index, { kind, vector, numbers }] of view.events.entries()) {
      const at = row * events + index;
      feeds.events.values.set(vector, at * width);
      feeds.kinds.values[at * eventKinds.length + eventKinds.indexOf(kind)] = 1;
      feeds.event_numbers.values.set(numbers, at * eventNumbers);
      feeds.event_mask.values[at] = 1;
    }
    for (const [index, { vector, numbers }] of view.tools.entries()) {
      const at = row * tools + index;
      feeds.tools.values.set(vector, at * width);
      feeds.tool_numbers.values.set(numbers, at * toolNumbers);
      feeds.tool_mask.values[at] = 1;
    }
  }
}
