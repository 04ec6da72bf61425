/**
 * Random provider streams as their bytes, each with what its answer says: tool calls that interleave, empty
 * pieces, seals, citations, any Unicode. For properties that hold over all of them.
 */
import * as fc from "fast-check";
import type { DialectName } from "../../shared/chat.ts";

/** What a reader must find in the answer, whatever the block structure. */
export type GeneratedStream = {
  dialect: DialectName;
  bytes: Uint8Array;
  text: string;
  reasoning: string;
  tools: { name: string; input: unknown }[];
  usage: { input: number; output: number };
};

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const name = fc.stringMatching(/^[a-z][a-z_]{0,11}$/);
const input = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
const usage = fc.record({ input: fc.nat(100_000), output: fc.nat(100_000) });
const eol = fc.constantFrom("\n", "\r\n");

type Part =
  | { kind: "text" | "reasoning"; pieces: string[]; seal?: string | undefined }
  | {
      kind: "tool";
      id: string;
      name: string;
      input: Record<string, unknown>;
      cuts: number[];
      seal?: string | undefined;
    };

const seal = fc.option(fc.base64String({ minLength: 4, maxLength: 24 }), { nil: undefined });
const spoken = fc.record({
  kind: fc.constantFrom("text" as const, "reasoning" as const),
  pieces: fc.array(text, { minLength: 1, maxLength: 4 }),
  seal,
});
const tool = fc.record({
  kind: fc.constant("tool" as const),
  id: fc.stringMatching(/^call_[A-Za-z0-9.:]{1,12}$/),
  name,
  input,
  cuts: fc.array(fc.nat(40), { maxLength: 4 }),
  seal,
});
const parts: fc.Arbitrary<Part[]> = fc.array(fc.oneof(spoken, tool), { maxLength: 7 });

function cutAt(json: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (json.length + 1)))].sort((left, right) => left - right);
  return [0, ...places].map((from, index) => json.slice(from, places[index] ?? json.length));
}

const frame = (data: unknown, lineEnd: string, event?: string) =>
  `${event === undefined ? "" : `event: ${event}${lineEnd}`}data: ${JSON.stringify(data)}${lineEnd}${lineEnd}`;

const joined = (all: readonly Part[], kind: Part["kind"]) =>
  all.flatMap((part) => (part.kind === kind && "pieces" in part ? part.pieces : [])).join("");
const toolsOf = (all: readonly Part[]) =>
  all.flatMap((part) => (part.kind === "tool" ? [{ name: part.name, input: part.input as unknown }] : []));

/** Tool calls last, their pieces in any order of interleaving, as OpenAI's stream allows. */
function writeOpenai(all: Part[], order: number[], used: { input: number; output: number }, lineEnd: string) {
  const chunk = (choices: unknown[], more: object = {}) => frame({ id: "c1", choices, ...more }, lineEnd);
  const delta = (fields: object, finish: string | null = null) =>
    chunk([{ index: 0, delta: fields, finish_reason: finish }]);
  const frames = [`: comment${lineEnd}${lineEnd}`, delta({ role: "assistant", content: "" })];
  for (const part of all) {
    if (part.kind === "text") for (const piece of part.pieces) frames.push(delta({ content: piece }));
    if (part.kind === "reasoning")
      for (const piece of part.pieces) frames.push(delta({ reasoning_content: piece }));
  }
  const calls = all.filter((part) => part.kind === "tool");
  const queues = calls.map((call, index) => {
    const head = {
      index,
      id: `${call.id}_${index}`,
      type: "function",
      function: { name: call.name, arguments: "" },
    };
    const pieces = cutAt(JSON.stringify(call.input), call.cuts).map((piece) => ({
      index,
      function: { arguments: piece },
    }));
    return [head, ...pieces] as object[];
  });
  for (let at = 0; queues.some((queue) => queue.length > 0); at += 1) {
    const open = queues.filter((queue) => queue.length > 0);
    // The first pieces name the calls in order: providers number them as they start.
    const queue = open[(order[at % order.length] ?? 0) % open.length] ?? [];
    frames.push(delta({ tool_calls: [queue.shift()] }));
  }
  frames.push(delta({}, calls.length > 0 ? "tool_calls" : "stop"));
  frames.push(
    chunk([], {
      usage: {
        prompt_tokens: used.input,
        completion_tokens: used.output,
        total_tokens: used.input + used.output,
      },
    }),
  );
  return [...frames, `data: [DONE]${lineEnd}${lineEnd}`].join("");
}

function writeAnthropic(all: Part[], used: { input: number; output: number }, lineEnd: string) {
  const event = (fields: { type: string } & Record<string, unknown>) => frame(fields, lineEnd, fields.type);
  const frames = [
    event({
      type: "message_start",
      message: { id: "msg_1", usage: { input_tokens: used.input, output_tokens: 1 } },
    }),
    event({ type: "ping" }),
  ];
  for (const [index, part] of all.entries()) {
    const add = (delta: object) => frames.push(event({ type: "content_block_delta", index, delta }));
    const start = (content_block: object) =>
      frames.push(event({ type: "content_block_start", index, content_block }));
    if (part.kind === "tool") {
      start({ type: "tool_use", id: `toolu_${index}`, name: part.name, input: {} });
      for (const piece of cutAt(JSON.stringify(part.input), part.cuts))
        add({ type: "input_json_delta", partial_json: piece });
    } else if (part.kind === "text") {
      start({ type: "text", text: "" });
      for (const piece of part.pieces) add({ type: "text_delta", text: piece });
    } else {
      start({ type: "thinking", thinking: "", signature: "" });
      for (const piece of part.pieces) add({ type: "thinking_delta", thinking: piece });
      if (part.seal !== undefined) add({ type: "signature_delta", signature: part.seal });
    }
    frames.push(event({ type: "content_block_stop", index }));
  }
  const stop_reason = all.some(({ kind }) => kind === "tool") ? "tool_use" : "end_turn";
  frames.push(
    event({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: used.output } }),
  );
  return [...frames, event({ type: "message_stop" })].join("");
}

function writeGemini(all: Part[], used: { input: number; output: number }, lineEnd: string) {
  const chunk = (content: object[], more: object = {}, counts: object = {}) =>
    frame(
      {
        candidates: [{ content: { parts: content, role: "model" }, index: 0, ...more }],
        responseId: "r",
        ...counts,
      },
      lineEnd,
    );
  const frames = all.flatMap((part) => {
    const sealed = part.seal === undefined ? {} : { thoughtSignature: part.seal };
    if (part.kind === "tool")
      return [chunk([{ functionCall: { name: part.name, args: part.input }, ...sealed }])];
    const last = part.pieces.length - 1;
    return part.pieces.map((piece, index) =>
      chunk([
        { text: piece, ...(part.kind === "reasoning" && { thought: true }), ...(index === last && sealed) },
      ]),
    );
  });
  const usageMetadata = {
    promptTokenCount: used.input,
    candidatesTokenCount: used.output,
    totalTokenCount: used.input + used.output,
  };
  return [...frames, chunk([], { finishReason: "STOP" }, { usageMetadata })].join("");
}

/** A stream of any of the three wire formats. */
export const generatedStream: fc.Arbitrary<GeneratedStream> = fc
  .record({
    dialect: fc.constantFrom<DialectName>("openai", "anthropic", "gemini"),
    parts,
    order: fc.array(fc.nat(6), { minLength: 1, maxLength: 12 }),
    usage,
    eol,
  })
  .map(({ dialect, parts: all, order, usage: used, eol: lineEnd }) => {
    const write = {
      openai: () => writeOpenai(all, order, used, lineEnd),
      anthropic: () => writeAnthropic(all, used, lineEnd),
      gemini: () => writeGemini(all, used, lineEnd),
    };
    return {
      dialect,
      bytes: new TextEncoder().encode(write[dialect]()),
      text: joined(all, "text"),
      reasoning: joined(all, "reasoning"),
      tools: toolsOf(all),
      usage: used,
    };
  });

/** Bytes in pieces, cut at these places (taken modulo the length). */
export function cutBytes(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort(
    (left, right) => left - right,
  );
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}
