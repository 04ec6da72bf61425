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
import { type BodyClaim, claimMemory, largeBodyBytes } from "./claim-memory.ts";
import type { EdgeMiddleware } from "./context.ts";

/** 10 MiB, decompressed: room for a dozen inline images. */
const maxBodyBytes = 10 * 1024 * 1024;
/** Three times the largest body that is accepted. Of a client that sends more the connection is closed: it may miss the answer. */
const mostReadOutBytes = 32 * 1024 * 1024;

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
  const { pace } = context.var.services;
  const { body, claim, length } = await within(pace.bodyMs, readJson(context));
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

/**
 * Reads what a refused request still sends. A server that answers and closes while its client is writing resets the
 * connection, and the client sees that instead of the answer that says what was wrong.
 */
export const readOut: EdgeMiddleware = async (context, next) => {
  await next();
  const { body, bodyUsed } = context.req.raw;
  if (body === null || bodyUsed || body.locked) return;
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > mostReadOutBytes) return;
    }
  } catch {
    // The client left: nobody is waiting for the answer.
  }
};

type ReadBody = { body: unknown; claim: BodyClaim | undefined; length: number };

/** The text is gone when this returns: what follows holds the parsed body alone. */
async function readJson(context: Parameters<EdgeMiddleware>[0]): Promise<ReadBody> {
  let claim: BodyClaim | undefined;
  const text = await readText(context.req.raw, async (mostBytes) => {
    claim = await claimMemory(context, mostBytes);
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

/** A body that trickles in would keep its place, and a large one the memory that others wait for. Throws invalid_request. */
async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const message = `The request body did not arrive within ${milliseconds / 1000} s; send it faster, or send less.`;
  const timer = setTimeout(() => reject(new GatewayError("invalid_request", message)), milliseconds);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Told what a large body may come to, before more of it is read. */
type OnLarge = (mostBytes: number) => Promise<void>;

/**
 * A compressed body is counted as it is decompressed, so a bomb is refused at the bound and never held. Throws request_too_large,
 * unsupported_media_type, invalid_request.
 */
async function readText(request: Request, onLarge: OnLarge): Promise<string> {
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
  if (declared !== null && compression === "none") {
    if (Number(declared) > largeBodyBytes) await onLarge(Number(declared));
    // A declared length is enforced by the runtime.
    return request.text();
  }
  const body = compression === "none" ? request.body : decompress(request.body, compression);
  const chunks = await readBounded(body, compression !== "none", onLarge);
  return new Blob(chunks).text();
}

/** Keeps at most the bound; past it throws request_too_large, once the client is ready to hear it. */
async function readBounded(
  body: AsyncIterable<Uint8Array>,
  isCompressed: boolean,
  onLarge: OnLarge,
): Promise<Uint8Array[]> {
  // Of a compressed body nothing is read past the bound: a bomb would cost our time.
  const mostRead = isCompressed ? maxBodyBytes : mostReadOutBytes;
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isLarge = false;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > mostRead) break;
      if (size <= maxBodyBytes) chunks.push(chunk);
      if (size > largeBodyBytes && !isLarge) {
        isLarge = true;
        await onLarge(maxBodyBytes);
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
