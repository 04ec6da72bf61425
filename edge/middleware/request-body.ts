/**
 * Reads the body of a request within a size bound (whether its length is declared, chunked or compressed), parses it, and checks it
 * against its route's schema. Refuses what is not JSON (415), too large (413) or malformed (400).
 */
import { zValidator } from "@hono/zod-validator";
import type { z } from "zod";
import { bodyError, GatewayError } from "../../shared/errors.ts";
import { createTable } from "../../shared/lookup-table.ts";
import { parseBody } from "../dialects/exact-numbers.ts";
import { parseBounded } from "../dialects/json.ts";
import { holdsMoreValues, maxBodyValues } from "../dialects/json-scan.ts";
import { readLength } from "../stream/bounded-body.ts";
import { createByteReader } from "../stream/byte-reader.ts";
import { type Compression, decompress } from "../stream/decompress.ts";
import { type BodyClaim, claimMemory, largeBodyBytes, retryAfterSeconds } from "./claim-memory.ts";
import { type EdgeContext, type EdgeMiddleware, forgetBody } from "./context.ts";
import { describeIssues, findParam } from "./describe-issues.ts";
import { maxDiscardedBytes } from "./drain-body.ts";
import { takeParseTurn } from "./take-turn.ts";

/** 10 MiB, decompressed: room for a dozen inline images. */
const maxBodyBytes = 10 * 1024 * 1024;

const jsonType = /^application\/([\w.+-]+\+)?json\s*(;|$)/i;

/** By Content-Encoding. */
const compressions = createTable<Compression | "none">({
  "": "none",
  identity: "none",
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
});

/** Leaves the parsed body in the context, as `body`. Put it after `limitConcurrency`. */
export const jsonBody: EdgeMiddleware = async (context, next) => {
  const type = context.req.header("content-type");
  if (type === undefined || !jsonType.test(type)) {
    throw new GatewayError(
      "unsupported_media_type",
      "Send the body as JSON with 'Content-Type: application/json'.",
    );
  }
  const { body, claim, length } = await readJson(context);
  const timesSent = timesSentOf(body);
  await claim?.wasRead(length, timesSent);
  // While it waited for the memory of its other copies, its turn ended; checking it needs another.
  if (claim !== undefined && timesSent > 1) await takeParseTurn(context);
  context.set("body", body);
  // Hono's validator reads the body through this. Its own `json()` (4.13) would serialise and parse the body again at each call.
  context.req.json = (() => Promise.resolve(context.get("body"))) as typeof context.req.json;
  await next();
  // The runtime keeps a request for some turns of the event loop after its end, and they take long when the thread is busy. A body of
  // 24,000 parts, which exists in three forms, kept 1.7 MiB for each request.
  forgetBody(context);
};

/** Hono's zod validator, answering in our words. Put it after `jsonBody`. Values are never repeated: they may be a prompt. */
export const validateJson = <Schema extends z.ZodType>(schema: Schema) =>
  zValidator(
    "json",
    schema,
    (result) => {
      if (!result.success) throw bodyError(describeIssues(result.error), findParam(result.error));
    },
    // The validator's type depends on the schema's, which is not known here.
    { validationFunction: (_schema, value) => parseBounded(schema, value) as never },
  );

type ReadBody = { body: unknown; claim: BodyClaim | undefined; length: number };

/** A separate function, so that the body's text can be collected once it is parsed. `claim`: only for a large body. */
async function readJson(context: EdgeContext): Promise<ReadBody> {
  let claim: BodyClaim | undefined;
  const read = (arrival: Arrival) =>
    readText(context, arrival, async (maxBytes) => {
      claim = await claimMemory(context, maxBytes);
      arrival.claimed = { at: context.get("services").now(), maxBytes };
    });
  const text = await inTime(context, read);
  if (claim !== undefined || hasManyValues(context, text)) await takeParseTurn(context);
  return { body: parse(text), claim, length: text.length };
}

/** Checking this many values takes a millisecond of the thread; a body of 60 KB may have 15,000. */
const manyValues = 1_000;

/** Whether a body that is not large takes as long as one. Paths without `limitConcurrency` take no such bodies. */
const hasManyValues = (context: EdgeContext, text: string): boolean =>
  context.get("requestLease") !== undefined && holdsMoreValues(text, manyValues);

function parse(text: string): unknown {
  if (text.length > maxBodyValues && holdsMoreValues(text, maxBodyValues)) throw tooManyValues();
  try {
    return parseBody(text);
  } catch {
    const message = "The request body is not valid JSON; check its quotes, commas and brackets.";
    throw new GatewayError("invalid_json", message);
  }
}

/** Copies of the body that may be sent at once: a provider without `n` gets one call for each choice. */
const timesSentOf = (body: unknown): number => {
  const choices = (body as { n?: unknown } | null)?.n;
  return typeof choices === "number" && choices > 1 ? choices : 1;
};

/** How far a body has arrived. `claimed`: when its memory was granted, and for how many bytes; only for a large body. */
type Arrival = { bytes: number; claimed?: { at: number; maxBytes: number }; signal: AbortSignal };

/** Number of checks within the time limit of an arriving body. Its speed counts from the fifth check on. */
const checks = 60;
const firstJudgedCheck = 5;

/** Whether a large body arrives at less than half the speed needed to finish within the time limit. */
function isBehind({ bytes, claimed }: Arrival, now: number, bodyMs: number): boolean {
  if (claimed === undefined || now - claimed.at < (firstJudgedCheck * bodyMs) / checks) return false;
  return bytes < (claimed.maxBytes * (now - claimed.at)) / bodyMs / 2;
}

/**
 * Bounds the time a body may take to arrive: a trickling one would occupy its place among the key's requests. Paths without
 * `limitConcurrency` take short bodies only, some from anybody, and wait no longer than for a refused one. While others wait for
 * memory, a large body that is far behind is given up before its time is over. Throws invalid_request, service_busy.
 */
async function inTime<Result>(
  context: EdgeContext,
  read: (arrival: Arrival) => Promise<Result>,
): Promise<Result> {
  const { memory, now, requestLimits } = context.get("services");
  const bodyMs = context.get("requestLease") ? requestLimits.bodyMs : requestLimits.discardMs;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const given = new AbortController();
  const arrival: Arrival = { bytes: 0, signal: given.signal };
  let check = 0;
  const timer = setInterval(() => {
    check += 1;
    if (check >= checks) {
      const message = `The request body did not arrive within ${bodyMs / 1000} s; send it faster, or send less.`;
      reject(new GatewayError("invalid_request", message));
    } else if (isBehind(arrival, now(), bodyMs) && memory.isShort(now())) reject(tooSlow());
  }, bodyMs / checks);
  try {
    return await Promise.race([read(arrival), late]);
  } finally {
    clearInterval(timer);
    given.abort();
  }
}

const tooSlow = (): GatewayError =>
  new GatewayError(
    "service_busy",
    "Others wait for the memory that this body takes, and it arrives too slowly; send it again in a few seconds.",
    { retryAfterSeconds },
    "body-memory",
  );

/** Copies each piece: the reader reuses its buffer. */
async function* readPieces(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = createByteReader(body);
  signal.addEventListener("abort", reader.cancel, { once: true });
  for (;;) {
    const piece = await reader.read();
    if (piece === undefined) return;
    yield piece.slice();
  }
}

/** Called once when a body turns out to be large, with the most bytes it may have; the rest is read after it resolves. */
type OnLarge = (maxBytes: number) => Promise<void>;

/**
 * The compression of a body. The first bytes of a bomb become megabytes before any is counted, so only paths that bound how many requests
 * come at once read compressed bodies. The others take short ones, signing in from anybody. Throws unsupported_media_type.
 */
function readCompression(context: EdgeContext): Compression | "none" {
  const compression = compressions[(context.req.header("content-encoding") ?? "").trim().toLowerCase()];
  const isLimited = context.get("requestLease") !== undefined;
  if (compression === "none" || (compression !== undefined && isLimited)) return compression;
  const message = `This Content-Encoding is not read here; send the body as it is${isLimited ? ", or with gzip" : ""}.`;
  throw new GatewayError("unsupported_media_type", message);
}

/**
 * Bytes are counted after decompression, so a bomb is refused at the bound. Throws request_too_large, unsupported_media_type,
 * invalid_request.
 */
async function readText(context: EdgeContext, arrival: Arrival, onLarge: OnLarge): Promise<string> {
  const compression = readCompression(context);
  const request = context.req.raw;
  const declared = readLength(request.headers);
  if (declared !== undefined && declared > maxBodyBytes) throw tooLarge();
  if (request.body === null) return "";
  // A declared length is enforced by the runtime.
  const exact = compression === "none" ? declared : undefined;
  if (exact !== undefined && exact <= largeBodyBytes) return request.text();
  const body =
    compression === "none"
      ? readPieces(request.body, arrival.signal)
      : decompress(request.body, compression, largeBodyBytes);
  const maxBytes = exact ?? maxBodyBytes;
  const chunks = await readBounded(body, compression !== "none", arrival, () => onLarge(maxBytes));
  return new Blob(chunks).text();
}

/** Keeps at most the bound. Throws request_too_large past it, after it has discarded the rest (see `drainBody`). */
async function readBounded(
  body: AsyncIterable<Uint8Array>,
  isCompressed: boolean,
  arrival: Arrival,
  onLarge: () => Promise<void>,
): Promise<Uint8Array[]> {
  // A compressed body is left at the bound: to discard the rest of a bomb would cost the CPU time of decompressing it.
  const maxRead = isCompressed ? maxBodyBytes : maxDiscardedBytes;
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isLarge = false;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      arrival.bytes = size;
      if (size > maxRead) break;
      if (size <= maxBodyBytes) chunks.push(chunk);
      if (size > largeBodyBytes && !isLarge) {
        isLarge = true;
        await onLarge();
      }
    }
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const message = isCompressed
      ? "The request body does not unfold as its Content-Encoding says; send it again, or uncompressed."
      : "The request body breaks off, or its chunks are not as Transfer-Encoding has them; send it again.";
    throw new GatewayError("invalid_request", message);
  }
  if (size > maxBodyBytes) throw tooLarge();
  return chunks;
}

const tooManyValues = (): GatewayError =>
  new GatewayError(
    "request_too_large",
    `The request body holds more than ${maxBodyValues.toLocaleString("en")} JSON values; send fewer.`,
  );
const tooLarge = (): GatewayError =>
  new GatewayError("request_too_large", "The request body is over 10 MiB; send less, or send images by URL.");
