/**
 * A reader of /v1/responses streams that shares no code with the gateway: frames to events, the order OpenAI
 * documents, and the response they add up to. Pure: runs in Node and in workerd.
 */
import { parseFrames } from "./messages-stream.ts";

export type ResponseEvent = { type: string; sequence_number: number } & Record<string, unknown>;
type Json = Record<string, unknown>;

/** @throws Error for a frame that is neither a comment nor a named event with one line of JSON */
export const parseResponseFrames = (text: string): ResponseEvent[] => parseFrames<ResponseEvent>(text);

/** Which growing field of an item's part, or of the item, a delta adds to; and the event that closes it. */
const growing: Readonly<Record<string, { item: string; done: string; field: string; part?: string }>> = {
  "response.output_text.delta": {
    item: "message",
    part: "content",
    field: "text",
    done: "response.output_text.done",
  },
  "response.refusal.delta": {
    item: "message",
    part: "content",
    field: "refusal",
    done: "response.refusal.done",
  },
  "response.reasoning_summary_text.delta": {
    item: "reasoning",
    part: "summary",
    field: "text",
    done: "response.reasoning_summary_text.done",
  },
  "response.function_call_arguments.delta": {
    item: "function_call",
    field: "arguments",
    done: "response.function_call_arguments.done",
  },
  "response.custom_tool_call_input.delta": {
    item: "custom_tool_call",
    field: "input",
    done: "response.custom_tool_call_input.done",
  },
};
const doneOf = Object.fromEntries(Object.values(growing).map((row) => [row.done, row]));
const partEvents: Readonly<Record<string, "content" | "summary">> = {
  "response.content_part": "content",
  "response.reasoning_summary_part": "summary",
};
const ends = ["response.completed", "response.incomplete", "response.failed"];

/** What of the order is broken, in words; an empty list is a stream every client can read. */
export function findResponseBreaks(events: readonly ResponseEvent[]): string[] {
  const breaks: string[] = [];
  const items: { item: Json; open: boolean }[] = [];
  let ended = false;
  let failing = false;
  for (const [at, event] of events.entries()) {
    const say = (text: string) => breaks.push(`${at} ${event.type}: ${text}`);
    if (event.sequence_number !== at) say(`has number ${event.sequence_number}`);
    if (ended) say("comes after the end");
    if (failing && event.type !== "response.failed") say("comes after an error");
    if (at < 2) {
      const wanted = ["response.created", "response.in_progress"][at];
      if (event.type !== wanted) say(`is not ${wanted}`);
      continue;
    }
    if (event.type === "error") {
      failing = true;
      continue;
    }
    if (ends.includes(event.type)) {
      ended = true;
      const { output, status } = event.response as { output: Json[]; status: string };
      if (`response.${status}` !== event.type) say(`has status ${status}`);
      if (event.type === "response.failed") continue;
      if (items.some(({ open }) => open)) say("comes while an item is open");
      const whole = items.map(({ item }) => item).slice(0, output.length);
      if (JSON.stringify(whole) !== JSON.stringify(output)) say("has another output than its items");
      continue;
    }
    const index = event.output_index as number;
    if (event.type === "response.output_item.added") {
      if (index !== items.length) say(`has index ${index}, not ${items.length}`);
      // OpenAI opens one at a time, and clients take a piece for the item that was added last.
      if (items.some(({ open }) => open)) say("comes while an item is open");
      items.push({ item: structuredClone(event.item) as Json, open: true });
      continue;
    }
    const entry = items[index];
    if (entry === undefined || !entry.open) {
      say(`is for item ${index}, which is not open`);
      continue;
    }
    const { item } = entry;
    if (event.type === "response.output_item.done") {
      const done = event.item as Json;
      if (done.id !== item.id || done.type !== item.type) say("is of another item");
      // No event brings pieces of a search's arguments.
      if (done.type === "tool_search_call") item.arguments = done.arguments;
      for (const field of ["content", "summary", "arguments", "input"])
        if (JSON.stringify(done[field]) !== JSON.stringify(item[field])) say(`has another ${field}`);
      entry.item = done;
      entry.open = false;
      continue;
    }
    if (event.item_id !== item.id) say(`is for ${String(event.item_id)}, not ${String(item.id)}`);
    applyPiece(event, item, say);
  }
  if (!ended) breaks.push("has no end");
  return breaks;
}

function applyPiece(event: ResponseEvent, item: Json, say: (text: string) => void): void {
  const delta = growing[event.type];
  const done = doneOf[event.type];
  const row = delta ?? done;
  if (row !== undefined) {
    if (item.type !== row.item) say(`in ${String(item.type)}`);
    const place = row.part ? (item[row.part] as Json[])[Number(event[`${row.part}_index`])] : item;
    if (place === undefined) say("has no part");
    else if (delta !== undefined) place[row.field] = `${String(place[row.field])}${String(event.delta)}`;
    else if (place[row.field] !== event[row.field] && place[row.field] !== "") say("differs from its deltas");
    else place[row.field] = event[row.field];
    if (place !== undefined && row.field === "text" && row.part === "content") {
      if (!Array.isArray(event.logprobs)) say("has no logprobs");
      else if (delta !== undefined) (place.logprobs as unknown[]).push(...event.logprobs);
    }
    return;
  }
  if (event.type === "response.output_text.annotation.added") {
    const part = (item.content as Json[])[Number(event.content_index)]!;
    (part.annotations as unknown[]).push(event.annotation);
    return;
  }
  const [, name = "", what] = /^(.*)\.(added|done)$/.exec(event.type) ?? [];
  const list = partEvents[name];
  if (list === undefined) {
    say("is no event of this stream");
    return;
  }
  const parts = item[list] as Json[];
  const index = Number(event[`${list}_index`]);
  if (what === "added") {
    if (index !== parts.length) say(`has index ${index}`);
    parts.push(structuredClone(event.part) as Json);
  } else if (JSON.stringify(parts[index]) !== JSON.stringify(event.part)) say("is another part");
}

export type FoldedResponse = {
  text: string;
  refusal: string;
  reasoning: string;
  calls: { name: string; arguments: string }[];
  output: Json[];
  status: string;
  usage: Json | null;
  error: string | undefined;
};

/** Text, refusal, reasoning and calls of an `output`. */
export function readOutput(output: readonly Json[]) {
  const parts = (type: string, list: string) =>
    output.filter((item) => item.type === type).flatMap((item) => (item[list] ?? []) as Json[]);
  const join = (found: Json[], field: string) => found.map((part) => String(part[field] ?? "")).join("");
  const calls = output.flatMap((item) => {
    if (item.type === "function_call")
      return [{ name: String(item.name), arguments: String(item.arguments) }];
    return item.type === "custom_tool_call"
      ? [{ name: String(item.name), arguments: String(item.input) }]
      : [];
  });
  return {
    text: join(parts("message", "content"), "text"),
    refusal: join(parts("message", "content"), "refusal"),
    reasoning: join(parts("reasoning", "summary"), "text"),
    calls,
  };
}

export function foldResponse(events: readonly ResponseEvent[]): FoldedResponse {
  const last = events.at(-1)?.response as Json | undefined;
  const output = (last?.output ?? []) as Json[];
  return {
    ...readOutput(output),
    output,
    status: String(last?.status),
    usage: (last?.usage ?? null) as Json | null,
    error: (last?.error as { message: string } | null | undefined)?.message,
  };
}
