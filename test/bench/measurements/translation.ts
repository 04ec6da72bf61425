/**
 * The translation of a stream by itself: bytes of each provider in, bytes of each dialect out, in this process,
 * without sockets. Pairs differ most here: the work that all of them share (sockets, database, planning) is left out.
 */
import { z } from "zod";
import type { StreamReader } from "../../../edge/dialects/provider/dialect.ts";
import { type ProviderKind, providerKinds } from "../../../shared/providers.ts";
import type { Measurement } from "../measurement.ts";
import type { Effort, Result, Row } from "../result.ts";
import { labelOf, type Pair, pairs, passThroughOf } from "../rig/dialect-calls.ts";
import { writeStream } from "../rig/dialect-streams.ts";
import { longPieces as pieceCount } from "../rig/provider.ts";
import type { Rig } from "../rig/rig.ts";
import { percentile, summarize } from "../statistics.ts";

/** What a read from a socket gives at most. */
const readBytes = 16_384;

/** Imports the edge after zod was told to compile no schemas at run time, since workerd forbids that. */
async function loadEdge() {
  z.config({ jitless: true });
  const [{ providers }, chat, messages, { createSseParser }, { CallMeter }] = await Promise.all([
    import("../../../edge/providers/registry.ts"),
    import("../../../edge/dialects/caller/openai/write-stream.ts"),
    import("../../../edge/dialects/caller/anthropic/write-stream.ts"),
    import("../../../edge/stream/sse.ts"),
    import("../../../edge/pipeline/money/usage-meter.ts"),
  ]);
  const createWriter = ({ caller, kind }: Pair) =>
    caller === "messages"
      ? messages.createMessagesStreamWriter({
          id: "msg_bench",
          model: "bench",
          provider: providers[kind].dialect.name,
        })
      : chat.createChatStreamWriter({ id: "bench", created: 0, model: "bench", includeUsage: true });

  /** Bytes written for a stream that comes in these reads. */
  return (pair: Pair, reads: readonly Uint8Array[]): number => {
    const writer = createWriter(pair);
    const reader: StreamReader = providers[pair.kind].dialect.createStreamReader();
    const parser = createSseParser();
    const meter = new CallMeter();
    const bytes = new TextEncoder();
    let written = 0;
    for (const read of reads) {
      const events = parser.push(read).flatMap((message) => reader.read(message));
      meter.observe(events);
      written += bytes.encode(writer.write(events)).byteLength;
    }
    if (reader.close().some(({ type }) => type === "error")) throw new Error("the stream broke off");
    return written;
  };
}

function cutReads(kind: ProviderKind): Uint8Array[] {
  const bytes = new TextEncoder().encode(writeStream(kind, pieceCount).join(""));
  const starts = Array.from({ length: Math.ceil(bytes.byteLength / readBytes) }, (_, at) => at * readBytes);
  return starts.map((start) => bytes.subarray(start, start + readBytes));
}

/**
 * CPU microseconds of this thread for one piece, over streams that take `milliseconds` in all, or longer: until
 * the kernel's clock has moved, which it does by ticks of a few milliseconds (getrusage(2), RUSAGE_THREAD).
 */
function measurePair(work: () => void, milliseconds: number): number {
  const before = process.threadCpuUsage();
  const endAt = performance.now() + milliseconds;
  let streams = 0;
  let used = 0;
  do {
    work();
    streams += 1;
    const { user, system } = process.threadCpuUsage(before);
    used = user + system;
  } while (used === 0 || performance.now() < endAt);
  return used / streams / pieceCount;
}

async function measure(_rig: Rig, effort: Effort): Promise<Result> {
  const translate = await loadEdge();
  const reads = new Map(providerKinds.map((kind) => [kind, cutReads(kind)] as const));
  const rounds = pairs.map((): number[] => []);
  // One round more than counted: the first compiles.
  for (let round = -1; round < effort.rounds; round++) {
    for (const [index, pair] of pairs.entries()) {
      const work = () => translate(pair, reads.get(pair.kind)!);
      const microseconds = measurePair(work, (effort.seconds * 1000) / pairs.length / effort.rounds);
      if (round >= 0) rounds[index]!.push(microseconds);
    }
  }
  const rows = pairs.map((pair, index): Row => {
    const bytes = reads.get(pair.kind)!.reduce((sum, read) => sum + read.byteLength, 0);
    const perPiece = summarize(rounds[index]!);
    return {
      label: labelOf(pair),
      figures: {
        perPiece,
        perMb: (perPiece.median * pieceCount) / 1000 / (bytes / 1e6),
        ratio: perPiece.median / percentile(rounds[passThroughOf(pair)]!, 0.5),
      },
    };
  });
  return {
    columns: [
      { key: "perPiece", heading: "CPU us per chunk", digits: 2 },
      { key: "perMb", heading: "CPU ms per MB in", digits: 1 },
      { key: "ratio", heading: "ratio", digits: 2 },
    ],
    rows,
    notes: [
      `Streams of ${pieceCount} chunks with the same text in each, in reads of ${readBytes / 1024} KiB: framing, ` +
        "decoding, metering, encoding. Schemas as in workerd.",
      "Ratio: to the provider that speaks the caller's dialect (chat <- OpenAI, messages <- Anthropic).",
    ],
  };
}

export const translation: Measurement = {
  name: "translation",
  title: "Translation of a stream, in process",
  run: measure,
};
