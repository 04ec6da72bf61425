/** Sends a script as an HTTP answer: whole, frame by frame, byte by byte, late, hanging, or cut. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { completeAnswer, type FakeScript, type FakeWire } from "./script.ts";

/** A script made into bytes once: what a benchmark sends again and again. */
type Body = { contentType: string; frames: Buffer[]; whole: Buffer };

export type SendOptions = {
  wire: FakeWire;
  stream: boolean;
  includeUsage: boolean;
  signal: AbortSignal;
  /** Breaks the connection from this side. */
  cut: () => void;
};

type BodyOptions = Pick<SendOptions, "wire" | "stream" | "includeUsage">;

const bodies = new WeakMap<FakeScript, Map<string, Body>>();

/** Bodies are cached per script object: a script is not changed once given. */
function readBody(script: FakeScript, { wire, stream, includeUsage }: BodyOptions): Body {
  const cached = bodies.get(script) ?? new Map<string, Body>();
  bodies.set(script, cached);
  const key = `${wire.defaultModel} ${stream} ${includeUsage}`;
  const body = cached.get(key) ?? buildBody(script, { wire, stream, includeUsage });
  cached.set(key, body);
  return body;
}

function buildBody(script: FakeScript, { wire, stream, includeUsage }: BodyOptions): Body {
  const frames = buildFrames(script, wire, stream, includeUsage);
  const buffers = (frames ?? [JSON.stringify(buildJson(script, wire))]).map((text) => Buffer.from(text));
  const contentType = frames ? "text/event-stream; charset=utf-8" : "application/json";
  return { contentType, frames: buffers, whole: Buffer.concat(buffers) };
}

function buildFrames(script: FakeScript, wire: FakeWire, stream: boolean, includeUsage: boolean) {
  if (script.frames) return script.frames;
  if (!stream || "json" in script || (script.status ?? 200) >= 400) return undefined;
  return wire.writeFrames(completeAnswer(script, wire.defaultModel), { includeUsage });
}

function buildJson(script: FakeScript, wire: FakeWire): unknown {
  if ("json" in script) return script.json;
  const { status = 200 } = script;
  if (status >= 400) return wire.writeError(status, script.text ?? `fake error ${status}`);
  return wire.writeReply(completeAnswer(script, wire.defaultModel));
}

/** Resolves when the answer is out, or nothing more will be sent. */
export async function sendScript(
  response: ServerResponse,
  script: FakeScript,
  options: SendOptions,
): Promise<void> {
  if (script.neverAnswer) return;
  await script.until;
  if (script.delayMs) await sleep(script.delayMs, undefined, { signal: options.signal });
  const body = readBody(script, options);
  const { status = 200, headers, chunking = "frame", frameDelayMs = 0, hangAfter, cutAfter, goOn } = script;
  const limit = cutAfter ?? hangAfter;
  const head = { "content-type": body.contentType, ...headers };
  const atOnce = chunking === "whole" || (chunking === "frame" && body.frames.length === 1);
  if (limit === undefined && atOnce) {
    response.writeHead(status, { ...head, "content-length": body.whole.byteLength }).end(body.whole);
    return;
  }
  response.writeHead(status, head).flushHeaders();

  for (const [index, frame] of body.frames.slice(0, goOn === undefined ? limit : cutAfter).entries()) {
    if (index === hangAfter) await goOn;
    if (index > 0 && frameDelayMs > 0) await sleep(frameDelayMs, undefined, { signal: options.signal });
    await writePieces(response, frame, chunking);
    if (response.destroyed) return;
    script.onFrame?.(index);
  }
  if (cutAfter !== undefined) {
    // What was written goes out before the connection breaks.
    await sleep(10, undefined, { signal: options.signal });
    options.cut();
  } else if (hangAfter === undefined || goOn !== undefined) response.end();
}

async function writePieces(
  response: ServerResponse,
  frame: Buffer,
  chunking: NonNullable<FakeScript["chunking"]>,
): Promise<void> {
  const size = chunking === "byte" ? 1 : typeof chunking === "number" ? chunking : frame.byteLength;
  for (let start = 0; start < frame.byteLength && !response.destroyed; start += size) {
    const flowing = response.write(frame.subarray(start, start + size));
    // A turn of the loop between pieces, or the kernel would join them again.
    if (size < frame.byteLength) await setImmediate();
    else if (!flowing && !response.destroyed) await untilDrained(response);
  }
}

/** Resolves when the response has drained or closed, and removes the listener of the other event. */
async function untilDrained(response: ServerResponse): Promise<void> {
  const settled = new AbortController();
  const { signal } = settled;
  await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  settled.abort();
}
