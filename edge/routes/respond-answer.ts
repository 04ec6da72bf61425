/**
 * Answers a chat request, as JSON or as server-sent events, through the caller's dialect (`AnswerWriter`). Delays a stream's status
 * for the first words, so that an early failure is still an HTTP error; settles however the answer ends.
 */
import type { ChatEvent, EventOf } from "../../shared/chat.ts";
import { writeCredits } from "../../shared/credits.ts";
import { GatewayError } from "../../shared/errors.ts";
import { type AskedChat, refusesPlan } from "../dialects/caller/svc-options.ts";
import { type AnswerClaim, claimAnswerMemory } from "../middleware/claim-memory.ts";
import type { EdgeContext } from "../middleware/context.ts";
import { permit } from "../middleware/permit-models.ts";
import { outliveClient } from "../middleware/record-request.ts";
import { toGatewayError } from "../middleware/respond-error.ts";
import { answerChat, type ChatAnswer } from "../pipeline/answer-chat.ts";
import type { Receipt } from "../pipeline/money/settlement.ts";
import { countChars } from "../pipeline/tokens/answer-counts.ts";
import { isContent } from "../providers/failover.ts";
import { failureError, unreadableEvent } from "../providers/failure.ts";
import { Refused } from "../providers/refusal.ts";
import { readInlineKeys } from "../providers/resolve-route.ts";
import { createEventStream } from "../stream/sse.ts";

const keepAliveMs = 15_000;

/** Operator's cap on LLM calls of one request. */
const maxLlmCallsCap = 5;

/** How one dialect writes a stream. */
export type StreamWriter = {
  /** Written before the provider's first event; may be empty. */
  first(): string;
  /** Written once, when the plan is known, if it was not known yet for `first`. */
  plan?(): string;
  /** One batch without errors; may throw GatewayError. */
  write(events: readonly ChatEvent[]): string;
  last(receipt: Receipt): string | Promise<string>;
  error(error: GatewayError): string;
  /** Sent after a long silence; absent: an SSE comment. */
  keepAlive?(): string;
};

/** How one dialect writes an answer. */
export type AnswerWriter = {
  /** The prefix of the answer's id; the hold's id follows it. */
  readonly idPrefix: string;
  /** The end of a stream repeats the whole answer, so it is kept until then. */
  readonly keepsStream?: boolean;
  createStream(answer: ChatAnswer): StreamWriter;
  /** `events` hold no error. */
  buildBody(events: readonly ChatEvent[], receipt: Receipt, answer: ChatAnswer): object | Promise<object>;
  /** Renames fields in `x-svc-unsupported` whose names in this dialect differ from the collector's. */
  nameUnsupported?(names: readonly string[]): string[];
  /** The dialect's own headers, made from the metadata known so far. */
  headers?(metadata: Receipt["metadata"]): Record<string, string>;
};

/** Throws GatewayError for everything that can still be an HTTP status. */
export async function respondChat(
  context: EdgeContext,
  { model, fallbacks, request, svc }: AskedChat,
  writer: AnswerWriter,
): Promise<Response> {
  const { services, admission, requestId, requestLease, logFields, attempt } = context.var;
  const input = {
    request,
    modelName: model,
    fallbacks,
    options: {
      planBlock: svc.plan !== "off" && !refusesPlan(context.req.raw.headers),
      maxLlmCalls: Math.min(svc.maxLlmCalls ?? 1, maxLlmCallsCap),
    },
    admission,
    inlineKeys: readInlineKeys(context.req.raw.headers),
    requestId,
    claimant: requestLease!,
    answerIdPrefix: writer.idPrefix,
    ...attempt,
  };
  const begin = () => answerChat({ ...input, account: context.get("account") }, services);
  const answer = await outliveClient(context, beginRemembered(context, [model, ...fallbacks], begin)).catch(
    (error: unknown) => {
      // What was left out may be why the provider refused the rest.
      if (error instanceof Refused) nameUnsupported(context, writer, error.unsupported);
      throw error;
    },
  );
  logFields.model = answer.service.executionLlm;
  logFields.key_source = answer.service.keySource;
  nameUnsupported(context, writer, answer.unsupported);
  return request.stream
    ? respondStream(context, answer, writer)
    : outliveClient(context, respondJson(context, answer, writer));
}

function nameUnsupported(context: EdgeContext, writer: AnswerWriter, names: readonly string[]): void {
  const unsupported = new Set(writer.nameUnsupported?.(names) ?? names);
  if (unsupported.size > 0) context.header("x-svc-unsupported", [...unsupported].join(", "));
}

/** Begins with the remembered account; if that is refused, reads the account from the database and begins once more. */
async function beginRemembered(
  context: EdgeContext,
  models: readonly string[],
  begin: () => Promise<ChatAnswer>,
): Promise<ChatAnswer> {
  const admission = context.get("admission");
  try {
    return await begin();
  } catch (error) {
    if (!admission.isUnconfirmed || !(error instanceof GatewayError)) throw error;
    await admission.reload();
    await permit(context, models);
    return begin();
  }
}

function setHeaders(context: EdgeContext, headers: Record<string, string> | undefined): void {
  for (const [name, value] of Object.entries(headers ?? {})) context.header(name, value);
}

async function respondJson(
  context: EdgeContext,
  answer: ChatAnswer,
  writer: AnswerWriter,
): Promise<Response> {
  const events = await collectEvents(context, answer);
  const failure = events.at(-1);
  if (failure?.type === "error") throw await endFailed(context, answer, failure);
  const receipt = await answer.finish();
  tellCharge(context, receipt);
  setHeaders(context, writer.headers?.(receipt.metadata));
  try {
    return context.json(await writer.buildBody(events, receipt, answer));
  } catch (error) {
    // The model nested its call too deeply to be written. Thrown on, this error would be told as the request's own.
    throw error instanceof RangeError ? failureError(unreadableEvent) : error;
  }
}

const tellCharge = (context: EdgeContext, { chargedMicro }: Receipt): void =>
  context.header("x-svc-credits-charged", writeCredits(chargedMicro));

/** Settles an answer that failed while its status was still open, and tells what it cost, if that is known by now and not nothing. */
async function endFailed(
  context: EdgeContext,
  answer: ChatAnswer,
  failure: EventOf<"error">,
): Promise<GatewayError> {
  const receipt = await answer.finishFailed();
  if (receipt !== undefined && receipt.chargedMicro > 0) tellCharge(context, receipt);
  return failureError(failure);
}

async function collectEvents(context: EdgeContext, answer: ChatAnswer): Promise<ChatEvent[]> {
  const claim = claimAnswerMemory(context);
  const events: ChatEvent[] = [];
  try {
    for await (const batch of answer.events) {
      await claim(countChars(batch));
      events.push(...batch);
    }
  } catch (error) {
    // There is no memory for it: close the provider's stream, and settle the usage so far.
    await answer.finish().catch(() => {});
    throw error;
  }
  return events;
}

/** A stream's text, piece by piece. Never throws: a failure is written, too. `claim`: called before each batch that the writer keeps. */
async function* writeStream(
  answer: ChatAnswer,
  stream: StreamWriter,
  { withoutContent, pending }: AnswerStart,
  claim: AnswerClaim | undefined,
): AsyncGenerator<string, void, void> {
  let toldPlan = answer.metadata() !== undefined;
  yield stream.first();
  try {
    for (const events of withoutContent) yield stream.write(events);
    for (let next = await pending; !next.done; next = await answer.events.next()) {
      if (!toldPlan && answer.metadata() !== undefined) {
        toldPlan = true;
        yield stream.plan?.() ?? "";
      }
      const failure = next.value.at(-1);
      if (failure?.type === "error") {
        yield stream.write(next.value.slice(0, -1));
        await answer.finishFailed();
        yield stream.error(failureError(failure));
        return;
      }
      await claim?.(countChars(next.value));
      yield stream.write(next.value);
    }
    yield await stream.last(await answer.finish());
  } catch (error) {
    yield stream.error(toGatewayError(error));
    // Encoding failed: close the provider's stream, and settle the usage so far.
    await answer.events.return();
    await answer.finish().catch(() => {});
  }
}

async function respondStream(
  context: EdgeContext,
  answer: ChatAnswer,
  writer: AnswerWriter,
): Promise<Response> {
  const stream = writer.createStream(answer);
  const claim = writer.keepsStream ? claimAnswerMemory(context) : undefined;
  const start = await awaitContent(context, answer);
  if (writer.headers !== undefined) {
    await answer.planned;
    setHeaders(context, writer.headers(answer.metadata()!));
  }
  const { end } = context.get("requestLease")!.handOver();
  const leave = () => context.get("services").waitUntil(answer.finish().catch(() => {}));
  const body = createEventStream(writeStream(answer, stream, start, claim), {
    keepAliveMs,
    ...(stream.keepAlive && { keepAlive: stream.keepAlive }),
    onLeave: leave,
    onEnd: end,
  });
  return context.body(body, 200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  });
}

/** How long the status waits for the first events: an error within this time becomes an HTTP status. */
const statusDelayMs = 40;

/** The first batches, which have no content, and the pending read of the batch after them. */
type AnswerStart = { withoutContent: ChatEvent[][]; pending: Promise<IteratorResult<ChatEvent[], void>> };

async function awaitContent(context: EdgeContext, answer: ChatAnswer): Promise<AnswerStart> {
  const over = context.get("services").sleep(statusDelayMs);
  const withoutContent: ChatEvent[][] = [];
  for (;;) {
    const pending = answer.events.next();
    const arrived = await Promise.race([pending, over]);
    if (!arrived || arrived.done) return { withoutContent, pending };
    const content = arrived.value.find(isContent);
    if (content?.type === "error") throw await endFailed(context, answer, content);
    if (content !== undefined) return { withoutContent, pending };
    withoutContent.push(arrived.value);
  }
}
