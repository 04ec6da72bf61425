/**
 * Replays every stream, recorded or written by hand, to each payer's provider in each way of asking. Registers
 * vitest's hooks and tests; how a client asks and what it must have in hand is each dialect's.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Caller, type Gateway, type Payer, payers, startGateway } from "../../support/gateway.ts";
import { formatOf, ownStreams, type Recording, readRecordings, recordedFolder } from "./list-recordings.ts";

const recorded = recordedFolder ? readRecordings(recordedFolder) : [];
const recordings = [...recorded, ...ownStreams];

/** Longest stream that is also sent byte by byte, in bytes: one turn of the event loop each. */
const byteWiseBytes = 4_000;

export type ReplayWay = {
  name: string;
  /** Whether the provider answers with the recorded stream, or with the JSON reply it would send instead. */
  provider: "stream" | "reply";
};
/** Where a client asks, and as whom. */
export type ReplayTarget = { baseUrl: string; apiKey: string; payer: Payer };

/** `exact`: the words before the printed count of recordings that passed. `check` asks as a client does, and expects the answer. */
export function testReplays<Way extends ReplayWay>(
  exact: string,
  ways: readonly Way[],
  check: (target: ReplayTarget, recording: Recording, way: Way) => Promise<void>,
): void {
  let gateway: Gateway;
  let account: Caller;
  beforeAll(async () => {
    gateway = await startGateway();
    account = await gateway.newCaller(1_000_000_000);
  });
  afterAll(() => gateway?.stop());

  const tallies = new Map<string, { passed: number; of: number }>();
  afterAll(() => {
    for (const [way, { passed, of }] of tallies) {
      if (of > 0) console.log(`${exact}, ${way}: ${passed} of ${of}`);
    }
  });

  const replay = async (
    recording: Recording,
    payer: Payer,
    way: Way,
    chunking: "frame" | "byte" = "frame",
  ) => {
    const label = `${payer.name}, ${way.name}${chunking === "byte" ? ", sent byte by byte" : ""}`;
    const tally = tallies.get(label) ?? { passed: 0, of: 0 };
    const counted = recorded.includes(recording) ? 1 : 0;
    tallies.set(label, tally);
    tally.of += counted;
    const { provider, baseUrl } = gateway;
    if (way.provider === "stream") provider.replay(payer.kind, recording.lines, { chunking });
    else provider.respond(payer.kind, { json: recording.expected.reply });
    await check({ baseUrl, apiKey: account.apiKey, payer }, recording, way);
    tally.passed += counted;
  };

  test(
    recordedFolder
      ? `RECORDED_STREAMS holds ${recorded.length} recordings`
      : "RECORDED_STREAMS is not set: only the hand-written streams are replayed",
    () => {
      if (recordedFolder) expect(recorded.length).toBeGreaterThan(0);
      else console.log("RECORDED_STREAMS is not set: only the hand-written streams are replayed");
    },
  );

  describe.each(payers)("$name", (payer) => {
    const own = recordings.filter(({ format }) => format === formatOf[payer.kind]);
    // On the pool the service always asks its provider for a stream, so no JSON reply is replayed there.
    const asked = ways.filter(({ provider }) => provider === "stream" || payer.name !== "pool");

    describe.each(asked)("$name", (way) => {
      const readable = own.filter(
        ({ expected }) => way.provider === "stream" || expected.failure === undefined,
      );
      test.each(readable)("$name", (recording) => replay(recording, payer, way));
    });

    const short = own.filter(({ lines }) => lines.join("").length < byteWiseBytes);
    test.each(short)("byte by byte: $name", (recording) => replay(recording, payer, ways[0]!, "byte"));
  });
}
