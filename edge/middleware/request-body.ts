/**
 * The body of a request: read within its size bound whatever it claims to be (declared, chunked or compressed), parsed, and
 * checked against its route's schema. Refused before anything reads it: what is not JSON (415), too large (413), malformed (400).
 */
import { zValidator } from "@hono/zod-validator";
import type { z } from "zod";
import { GatewayError } from "../../shared/errors.ts";
import { describeIssues } from "../dialects/describe-issues.ts";
import { parseBounded } from "../dialects/json.ts";
import { holdsMoreValues, maxBodyValues } from "../dialects/json-values.ts";
import { type Compression, decompress } from "../stream/decompress.ts";
import { createByteReader } from "../stream/sse.ts";
import { type BodyClaim, claimMemory, largeBodyBytes, retryAfterSeconds } from "./claim-memory.ts";
import type { EdgeContext, EdgeMiddleware } from "./context.ts";
import { mostReadOutBytes } from "./read-out.ts";

/** 10 MiB, decompressed: room for a dozen inline images. */
const maxBodyBytes = 10 * 1024 * 1024;

const jsonType = /^application\/([\w.+-]+\+)?json\s*(;|$)/i;

/** Content-Encoding as a client may send it; null prototype, the name comes from the request. */
const compressions: Readonly<Record<string, Compression | "none">> = Object.assign(Object.create(null), {
  "": "none",
  identity: "none",
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
});

/** Leaves the parsed body in `context.var.body`. Put it after `occupy`. */
export const jsonBody: EdgeMiddleware = async (context, next) => {
  const type = context.req.header("content-type");
  if (type === undefined || !jsonType.test(type)) {
    throw new GatewayError(
      "unsupported_media_type",
      "Send the body as JSON with 'Content-Type: application/json'.",
    );
  }
  const { body, claim, length } = await inTime(context, (arrival) => readJson(context, arrival));
  await claim?.wasRead(length, timesSentOf(body));
  context.set("body", body);
  // For Hono's validator, with what middleware has put in its place since: Hono's own `json()` (4.13) would write the body as
  // text and parse that anew, at each call.
  context.req.json = (() => Promise.resolve(context.var.body)) as typeof context.req.json;
  await next();
};

/** Hono's zod validator, answering in our words. Put it after `jsonBody`. Values are never repeated: they may be a prompt. */
export const validateJson = <Schema extends z.ZodType>(schema: Schema) =>
  zValidator(
    "json",
    schema,
    (result) => {
      if (result.success) return;
      const details = describeIssues(result.error);
      const first = details[0] ?? "unknown";
      throw new GatewayError(
        "validation_error",
        `Change this in the request body and send it again: ${first}`,
        { details },
      );
    },
    // Its type hangs on the schema's, which is open here.
    { validationFunction: (_schema, value) => parseBounded(schema, value) as never },
  );

type ReadBody = { body: unknown; claim: BodyClaim | undefined; length: number };

/** The text is gone when this returns: what follows holds the parsed body alone. */
async function readJson(context: EdgeContext, arrival: Arrival): Promise<ReadBody> {
  let claim: BodyClaim | undefined;
  const text = await readText(context.req.raw, arrival, async (mostBytes) => {
    claim = await claimMemory(context, mostBytes);
    arrival.began = { at: context.var.services.now(), mostBytes };
  });
  if (text.length > maxBodyValues && holdsMoreValues(text, maxBodyValues)) throw tooManyValues();
  try {
    return { body: JSON.parse(text), claim, length: text.length };
  } catch {
    throw new GatewayError(
      "invalid_json",
      "The request body is not valid JSON; check its quotes, commas and brackets.",
    );
  }
}

/** How often a provider without `n` is sent the body: once for each choice. */
const timesSentOf = (body: unknown): number => {
  const choices = (body as { n?: unknown } | null)?.n;
  return typeof choices === "number" && choices > 1 ? choices : 1;
};

/** `began`: when a large body had its memory, and how large it may be. */
type Arrival = { bytes: number; began?: { at: number; mostBytes: number }; signal: AbortSignal };

/** Looks at an arriving body, in the time it may take; from the fifth on at its pace. */
const looks = 60;
const firstPaced = 5;

/** Whether a large body has not half of what it needs by now to arrive in time. */
function isBehind({ bytes, began }: Arrival, now: number, bodyMs: number): boolean {
  if (began === undefined || now - began.at < (firstPaced * bodyMs) / looks) return false;
  return bytes < (began.mostBytes * (now - began.at)) / bodyMs / 2;
}

/**
 * A body that trickles in would keep its place, and a large one the memory that others wait for: while they wait, one that is far behind
 * is given up at once. Throws invalid_request, service_busy.
 */
async function inTime<Result>(
  context: EdgeContext,
  read: (arrival: Arrival) => Promise<Result>,
): Promise<Result> {
  const { memory, now, pace } = context.var.services;
  const { bodyMs } = pace;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const given = new AbortController();
  const arrival: Arrival = { bytes: 0, signal: given.signal };
  let look = 0;
  const timer = setInterval(() => {
    look += 1;
    if (look >= looks) {
      const message = `The request body did not arrive within ${bodyMs / 1000} s; send it faster, or send less.`;
      reject(new GatewayError("invalid_request", message));
    } else if (isBehind(arrival, now(), bodyMs) && memory.isShort(now())) reject(tooSlow());
  }, bodyMs / looks);
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

/** Piece by piece, in large ones; each is a copy, since the reader uses its memory again. */
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

/** Told what a large body may come to, before more of it is read. */
type OnLarge = (mostBytes: number) => Promise<void>;

/**
 * A compressed body is counted as it is decompressed, so a bomb is refused at the bound and never held. Throws request_too_large,
 * unsupported_media_type, invalid_request.
 */
async function readText(request: Request, arrival: Arrival, onLarge: OnLarge): Promise<string> {
  const encoding = (request.headers.get("content-encoding") ?? "").trim().toLowerCase();
  const compression = compressions[encoding];
  if (compression === undefined) {
    throw new GatewayError(
      "unsupported_media_type",
      "This Content-Encoding is not read; send the body as it is, or with gzip.",
    );
  }
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBodyBytes) throw tooLarge();
  if (request.body === null) return "";
  // A declared length is enforced by the runtime.
  const isDeclared = declared !== null && compression === "none";
  if (isDeclared && Number(declared) <= largeBodyBytes) return request.text();
  const body =
    compression === "none" ? readPieces(request.body, arrival.signal) : decompress(request.body, compression);
  const mostBytes = isDeclared ? Number(declared) : maxBodyBytes;
  const chunks = await readBounded(body, compression !== "none", arrival, () => onLarge(mostBytes));
  return new Blob(chunks).text();
}

/** Keeps at most the bound; past it throws request_too_large, once the client is ready to hear it. */
async function readBounded(
  body: AsyncIterable<Uint8Array>,
  isCompressed: boolean,
  arrival: Arrival,
  onLarge: () => Promise<void>,
): Promise<Uint8Array[]> {
  // Of a compressed body nothing is read past the bound: a bomb would cost our time.
  const mostRead = isCompressed ? maxBodyBytes : mostReadOutBytes;
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isLarge = false;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      arrival.bytes = size;
      if (size > mostRead) break;
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
