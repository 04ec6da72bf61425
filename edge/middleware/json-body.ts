/** Refuses bodies that are not JSON (415), too large (413) or malformed (400) before anything reads them. */
import { GatewayError } from "../../shared/errors.ts";
import { holdsMoreValues, maxBodyValues } from "../dialects/json-values.ts";
import { type BodyClaim, claimMemory, largeBodyBytes } from "./claim-memory.ts";
import type { EdgeMiddleware } from "./context.ts";
import { readJsonText } from "./read-json-text.ts";

const jsonType = /^application\/([\w.+-]+\+)?json\s*(;|$)/i;

const tooManyValues = (): GatewayError =>
  new GatewayError(
    "request_too_large",
    `The request body holds more than ${maxBodyValues.toLocaleString("en")} JSON values; send fewer.`,
  );

/** How often a provider without `n` is sent the body: once for each choice. */
const timesSentOf = (body: unknown): number => {
  const choices = (body as { n?: unknown } | null)?.n;
  return typeof choices === "number" && choices > 1 ? choices : 1;
};

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

type ReadBody = { body: unknown; claim: BodyClaim | undefined; length: number };

/** The text is gone when this returns: what follows holds the parsed body alone. */
async function readJson(context: Parameters<EdgeMiddleware>[0]): Promise<ReadBody> {
  let claim: BodyClaim | undefined;
  const text = await readJsonText(context.req.raw, {
    largeBytes: largeBodyBytes,
    onLarge: async (mostBytes) => {
      claim = await claimMemory(context, mostBytes);
    },
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
