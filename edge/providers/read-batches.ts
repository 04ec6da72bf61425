/**
 * The bytes of a provider's answer as batches of events: a stream, or a whole reply. Never throws: what breaks off is an `error` event,
 * unless the answer was whole by then.
 */
import type { ChatEvent, EventOf } from "../../shared/chat.ts";
import { isUsed, type StreamReader } from "../dialects/provider/dialect.ts";
import { boundBody } from "../stream/bounded-body.ts";
import { createByteReader } from "../stream/byte-reader.ts";
import { createSseParser } from "../stream/sse.ts";
import type { CallFailure } from "../telemetry/request-record.ts";
import { describeFailure, lostEvent, timeoutEvent, unreadableEvent } from "./failure.ts";
import type { Route } from "./resolve-route.ts";
import type { Expiry, Watchdog } from "./timeouts.ts";

/** Bound of a JSON reply, which is read into memory whole. */
const maxReplyBytes = 32 * 1024 * 1024;

/** What reading an answer needs of its call: the route, its accounting and its limits. */
export type AnswerCall = {
  route: Route;
  observer: { observe(events: readonly ChatEvent[]): void; ended(): void; dropped(why: CallFailure): void };
  watchdog: Pick<Watchdog, "touched" | "paused" | "resumed" | "reached" | "stop">;
  /** The limit by which we cut the call, if we did. */
  expiry(): Expiry | undefined;
};

type Batches = AsyncGenerator<ChatEvent[], void, void>;

/** The events with keys removed from the failure, which can only be the last event. */
function withoutKey(events: ChatEvent[], key: string | undefined): ChatEvent[] {
  const last = events.at(-1);
  return last?.type === "error" ? [...events.slice(0, -1), describeFailure(last, key)] : events;
}

/** Events up to a failure, and the usage report after it. */
function splitAtFailure(events: ChatEvent[]): [events: ChatEvent[], reports: ChatEvent[]] {
  const at = events.findIndex(({ type }) => type === "error");
  return at === -1 ? [events, []] : [events.slice(0, at + 1), events.slice(at + 1)];
}

/** An event stream that is being read. */
type OpenStream = {
  source: ReturnType<typeof createByteReader>;
  parser: ReturnType<typeof createSseParser>;
  reader: StreamReader;
  watchdog: AnswerCall["watchdog"];
};

type Report = EventOf<"usage">;
const isReport = (event: ChatEvent): event is Report => event.type === "usage";
/** A report that names tokens, and says that nothing is billed for them. */
const isFree = ({ usage }: Report): boolean => usage.total > 0 && !isUsed(usage);

/** The usage report after which nothing was written. */
function findReport(events: readonly ChatEvent[], known: Report | undefined): Report | undefined {
  let report = known;
  for (const event of events) {
    if (isReport(event)) report = event;
    else if (event.type !== "start" && event.type !== "error") report = undefined;
  }
  return report;
}

/**
 * The usage report after a failure. The aggregator ends a stream with one even where a model's call could not be read: the model has
 * thought by then, and that is billed. Waits no longer than for the end of a whole answer, a quarter of a second.
 */
async function readLateReport({ source, parser, reader, watchdog }: OpenStream): Promise<ChatEvent[]> {
  watchdog.reached("ended");
  try {
    for (;;) {
      const bytes = await source.read();
      const messages = bytes === undefined ? parser.end() : parser.push(bytes);
      const reports = messages.flatMap(reader.read);
      if (bytes === undefined || reports.length > 0) return reports;
    }
  } catch {
    return [];
  }
}

/** The last events of a stream whose connection broke, or that we cut. */
function readBroken(reader: StreamReader, { route, observer, expiry }: AnswerCall): ChatEvent[] {
  const stage = reader.stage();
  // The answer is complete, so a broken connection after it is not a failure.
  if (stage === "ended") return [];
  const cut = expiry();
  if (stage !== "finished" || cut === undefined) return [cut === undefined ? lostEvent : timeoutEvent(cut)];
  const rest = reader.close();
  // The call is not ended, so that the missing usage report is asked for if our count may be too low.
  observer.observe(rest);
  return withoutKey(rest, route.key);
}

/**
 * Reads an event stream to its end: one batch for each piece of bytes that holds events. Tells `call.observer` of the events before
 * they are yielded. Cancels `body` when its consumer stops.
 */
export async function* readStreamBatches(
  body: ReadableStream<Uint8Array>,
  reader: StreamReader,
  call: AnswerCall,
): Batches {
  const { route, observer, watchdog } = call;
  const source = createByteReader(body);
  const parser = createSseParser();
  let report: Report | undefined;
  try {
    for (;;) {
      const bytes = await source.read();
      const before = reader.stage();
      const messages = bytes === undefined ? parser.end(before !== "open") : parser.push(bytes);
      // After a finish reason comments do not count as activity: some servers send them without end.
      if (before === "open" || (before === "finished" && messages.length > 0)) watchdog.touched();
      const told = messages.flatMap((message) => reader.read(message));
      if (bytes === undefined) told.push(...reader.close());
      const [events, late] = splitAtFailure(told);
      observer.observe(events);
      report = findReport(events, report);
      const failed = events.at(-1)?.type === "error";
      if (failed) {
        const isWhole = late.length > 0 || bytes === undefined || route.keySource !== "pool";
        const rest = isWhole ? late : await readLateReport({ source, parser, reader, watchdog });
        const reports = rest.filter(isReport);
        // A free report is not metered: its tokens would be charged.
        const counted = reports.filter((one) => !isFree(one));
        observer.observe(counted);
        events.splice(-1, 0, ...counted);
        report = findReport(reports, report);
      }
      const stage = failed ? before : reader.stage();
      if (before !== "ended" && (bytes === undefined || stage === "ended")) observer.ended();
      if (failed && report !== undefined && isFree(report)) observer.dropped("unbilled");
      if (events.length > 0) {
        watchdog.paused();
        yield withoutKey(events, route.key);
        watchdog.resumed();
      }
      if (bytes === undefined || failed) return;
      // The stage may return to `open`: with two choices, one may finish before the other has begun.
      if (stage !== before) watchdog.reached(stage);
    }
  } catch {
    const last = readBroken(reader, call);
    if (last.length > 0) yield last;
  } finally {
    watchdog.stop();
    // Also when the consumer stops early: the provider must not keep writing.
    source.cancel();
  }
}

/** Reads an answer whose content type is not an event stream: usually a JSON reply. */
export async function* readReplyBatches(
  response: Response,
  read: { reader: () => StreamReader; readWhole: (text: string) => ChatEvent[] },
  call: AnswerCall,
): Batches {
  const { route, observer, watchdog, expiry } = call;
  let isPage = false;
  try {
    const { start, body } = await peekBody(response.body ?? new Blob([]).stream());
    if (eventStart.test(start)) return yield* readStreamBatches(body, read.reader(), call);
    isPage = !jsonStart.test(start);
    // Without its status: by 204 a response may have no body.
    const whole = new Response(body, { headers: response.headers });
    const events = read.readWhole(await boundBody(whole, maxReplyBytes).text());
    observer.observe(events);
    observer.ended();
    yield withoutKey(events, route.key);
  } catch (error) {
    const cut = expiry();
    // The page of a proxy holds no answer: a call whose only event is an error is not charged.
    if (isPage && error instanceof SyntaxError) observer.observe([unreadableEvent]);
    if (cut !== undefined) yield [timeoutEvent(cut)];
    else yield [error instanceof SyntaxError || error instanceof RangeError ? unreadableEvent : lostEvent];
  } finally {
    watchdog.stop();
  }
}

/** Fields of an event (`data`, `event`, `id`, `retry`) and comments begin so; JSON and HTML do not. */
const eventStart = /^[\s\uFEFF]*[deir:]/;
/** An answer in one piece. A page of a proxy, and an empty body, begin otherwise. */
const jsonStart = /^[\s\uFEFF]*[{[]/;

/**
 * The first characters of a body. They tell an event stream from another, as servers and proxies label one text/plain, JSON or not at
 * all. `body` holds the same bytes, none of them read. Rejects if the first of them cannot be read.
 */
async function peekBody(
  body: ReadableStream<Uint8Array>,
): Promise<{ start: string; body: ReadableStream<Uint8Array> }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read: Uint8Array[] = [];
  let text = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    read.push(next.value);
    text += decoder.decode(next.value, { stream: true });
    // White space decides nothing yet; more of it than this is no answer.
    if (text.trim() !== "" || text.length > 4_096) break;
  }
  const rest = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const value = read.shift() ?? (await reader.read()).value;
      if (value === undefined) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { start: text, body: rest };
}
