/**
 * The order of events over random streams of all wire formats, whole and broken off at any byte. How many:
 * GENERATED_STREAMS (default 1,000; the full run is 5,000).
 */
import * as fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { buildResponse, type Envelope } from "../../../../../edge/dialects/caller/responses/write-reply.ts";
import { createResponseStreamWriter } from "../../../../../edge/dialects/caller/responses/write-stream.ts";
import { anthropicDialect } from "../../../../../edge/dialects/provider/anthropic/dialect.ts";
import type { ProviderDialect } from "../../../../../edge/dialects/provider/dialect.ts";
import { geminiDialect } from "../../../../../edge/dialects/provider/gemini/dialect.ts";
import { alphaDialect } from "../../../../../edge/dialects/provider/openai/dialect.ts";
import { createSseParser } from "../../../../../edge/stream/sse.ts";
import type { ChatEvent, DialectName } from "../../../../../shared/chat.ts";
import { GatewayError } from "../../../../../shared/errors.ts";
import { cutBytes, generatedStream } from "../../../../support/generated-streams.ts";
import {
  findResponseBreaks,
  foldResponse,
  parseResponseFrames,
  readOutput,
} from "../../../../support/responses-stream.ts";
import { testEnvelope } from "./envelope.ts";

/** The properties are asynchronous, so their whole run is held to the clock. */
const longMs = 300_000;
const numRuns = inject("generatedStreams");

const dialects: Record<DialectName, ProviderDialect> = {
  openai: alphaDialect,
  anthropic: anthropicDialect,
  gemini: geminiDialect,
};

/** As the gateway does it: a batch for each piece of bytes, and an error in place of the end. */
async function translate(dialect: DialectName, pieces: readonly Uint8Array[], envelope: Envelope) {
  const parser = createSseParser();
  const reader = dialects[dialect].createStreamReader();
  const writer = createResponseStreamWriter(envelope, dialect);
  const batches: ChatEvent[][] = pieces.map((piece) =>
    parser.push(piece).flatMap((event) => reader.read(event)),
  );
  batches.push([...parser.end().flatMap((event) => reader.read(event)), ...reader.close()]);
  const hub = batches.flat();
  const usage = hub.findLast((event) => event.type === "usage")?.usage;
  let text = writer.first({});
  for (const batch of batches) {
    const failure = batch.at(-1);
    const failed = failure?.type === "error";
    text += writer.write(failed ? batch.slice(0, -1) : batch);
    if (failed) {
      const error = new GatewayError(failure.code, failure.message);
      text += writer.error(error, { error: { message: failure.message } });
      return { events: parseResponseFrames(text), hub, usage };
    }
  }
  text += await writer.last({ svc: {}, usage });
  return { events: parseResponseFrames(text), hub, usage };
}

const byName = (calls: { name: string; arguments: string }[]) =>
  calls.map((call) => JSON.stringify({ ...call, arguments: JSON.parse(call.arguments) })).toSorted();
const wanted = (tools: { name: string; input: unknown }[]) =>
  tools.map(({ name, input }) => JSON.stringify({ name, arguments: input })).toSorted();

const cuts = fc.array(fc.nat(), { maxLength: 8 });

describe("a generated stream through this dialect", () => {
  test(
    `is in order, complete, and the same as JSON however it is cut (${numRuns} streams)`,
    async () => {
      await fc.assert(
        fc.asyncProperty(generatedStream, cuts, async (stream, places) => {
          const pieces = cutBytes(stream.bytes, places);
          const { events, hub, usage } = await translate(stream.dialect, pieces, testEnvelope());
          expect(findResponseBreaks(events)).toEqual([]);
          const folded = foldResponse(events);
          expect(folded.error).toBeUndefined();
          expect(folded.text).toBe(stream.text);
          expect(folded.reasoning).toBe(stream.reasoning);
          expect(byName(folded.calls)).toEqual(wanted(stream.tools));
          expect(folded.usage).toMatchObject({
            input_tokens: stream.usage.input,
            output_tokens: stream.usage.output,
          });
          const facts = { svc: {}, usage, provider: stream.dialect };
          const body = await buildResponse(hub, testEnvelope(), facts);
          expect(JSON.parse(JSON.stringify(body.output))).toEqual(folded.output);
        }),
        { numRuns },
      );
    },
    longMs,
  );

  test(
    "broken off at any byte is in order and ends in an error, or was complete",
    async () => {
      await fc.assert(
        fc.asyncProperty(generatedStream, fc.nat(), async (stream, at) => {
          const part = stream.bytes.subarray(0, at % stream.bytes.length);
          const { events } = await translate(stream.dialect, [part], testEnvelope());
          expect(findResponseBreaks(events)).toEqual([]);
          const folded = foldResponse(events);
          if (folded.error === undefined) {
            // What was missing was only the mark after the end.
            expect(folded.status).toBe("completed");
            expect(folded.text).toBe(stream.text);
            expect(byName(folded.calls)).toEqual(wanted(stream.tools));
          } else expect(stream.text.startsWith(readOutput(folded.output).text)).toBe(true);
        }),
        { numRuns },
      );
    },
    longMs,
  );
});
