/** Refuses bodies that are not JSON (415), too large (413) or malformed (400) before anything reads them. */
import { GatewayError } from "../../shared/errors.ts";
import type { EdgeMiddleware } from "./context.ts";
import { holdsMoreValues } from "./json-values.ts";
import { mostReadOutBytes } from "./read-out.ts";

/** 10 MiB, as bytes on the wire: room for a dozen inline images. */
export const maxBodyBytes = 10 * 1024 * 1024;

/** Ten thousand turns with tool calls. Each wrong value is an issue of a kilobyte to whoever checks the body. */
export const maxBodyValues = 100_000;

const jsonType = /^application\/([\w.+-]+\+)?json\s*(;|$)/i;

const tooLarge = (): GatewayError =>
  new GatewayError("request_too_large", "The request body is over 10 MiB; send less, or send images by URL.");

const tooManyValues = (): GatewayError =>
  new GatewayError(
    "request_too_large",
    `The request body holds more than ${maxBodyValues.toLocaleString("en")} JSON values; send fewer.`,
  );

/** Keeps at most `limit` bytes; past it throws request_too_large, once the client is ready to hear it. */
async function readBounded(body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > mostReadOutBytes) break;
    if (size <= limit) chunks.push(chunk);
  }
  if (size > limit) throw tooLarge();
  return chunks;
}

async function readText(request: Request): Promise<string> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBodyBytes) throw tooLarge();
  // A declared length is enforced by the runtime, so only chunked bodies are counted here.
  if (declared !== null || request.body === null) return request.text();
  return new Blob(await readBounded(request.body, maxBodyBytes)).text();
}

/** Leaves the parsed body where Hono's validators look for it. */
export const jsonBody: EdgeMiddleware = async (context, next) => {
  const type = context.req.header("content-type");
  if (type === undefined || !jsonType.test(type)) {
    throw new GatewayError(
      "unsupported_media_type",
      "Send the body as JSON with 'Content-Type: application/json'.",
    );
  }
  const text = await readText(context.req.raw);
  if (text.length > maxBodyValues && holdsMoreValues(text, maxBodyValues)) throw tooManyValues();
  try {
    const body: unknown = JSON.parse(text);
    // A promise, as Hono keeps them; typed as the value by mistake (hono 4.13).
    (context.req.bodyCache as { json?: Promise<unknown> }).json = Promise.resolve(body);
  } catch {
    throw new GatewayError(
      "invalid_json",
      "The request body is not valid JSON; check its quotes, commas and brackets.",
    );
  }
  await next();
};
