/**
 * Large bodies wait until the isolate has memory for them (memory-budget.ts), and are refused if there is none in time. A body's
 * claim shrinks as copies are dropped: it is largest while the body is read and parsed, smaller while its copy is sent to a
 * provider, and the body's own size while the answer is written. The claim of an answer that is kept whole grows with it.
 */
import { GatewayError } from "../../shared/errors.ts";
import type { Claim } from "../admission/memory-budget.ts";
import type { RecordingMemory } from "../idempotency/recorded-answer.ts";
import { type EdgeContext, forgetBody } from "./context.ts";

/** Counting smaller bodies would cost more than the bodies do. */
export const largeBodyBytes = 64 * 1024;

/** Copies of a body that are alive at once: bytes received, text, parsed, serialised for the provider, bytes sent. */
const copiesWhileRead = 5;
const copiesWhileSent = 2;
const copiesWhileAnswered = 1;
const patienceMs = 60_000;
export const retryAfterSeconds = 5;
/** Workers stop a request 30 s after its answer has ended or lost its reader, settled or not. */
const settledWithinMs = 30_000;

const tooLargeHere = (): GatewayError =>
  new GatewayError(
    "request_too_large",
    "This service has not the memory for a body of this size; send less, or send images by URL.",
  );

/**
 * Waits for memory. Without any it gives up the recording of this request's answer, which nobody has asked to see yet. Throws
 * `service_busy` when there is none in time, `request_too_large` when there never can be.
 */
async function claim(context: EdgeContext, bytes: number, waitMs = patienceMs): Promise<Claim> {
  const services = context.get("services");
  const account = context.get("account");
  const requestLease = context.get("requestLease");
  // A path that does not use `limitConcurrency` takes no large bodies.
  if (requestLease === undefined || bytes > services.config.bodyMemoryBytes) throw tooLargeHere();
  const wanted = { owner: account.accountId, request: requestLease, bytes };
  let made = await services.memory.claim(wanted, waitMs, services);
  const dropRecording = context.get("dropRecording");
  if (made === undefined && dropRecording !== undefined) {
    dropRecording();
    made = await services.memory.claim(wanted, 0, services);
  }
  if (made === undefined) {
    throw new GatewayError(
      "service_busy",
      "Other large requests take this service's memory, or this account's share of it; send this one again in a few seconds.",
      { retryAfterSeconds },
      "body-memory",
    );
  }
  // The body of a caller who has left stays in memory until the request is settled, for which the aggregator may be asked for seconds. Without
  // a claim for that time 24 such callers with bodies of 8 MiB ended the edge of `npm start` after five seconds.
  requestLease.onEnd(() => {
    made.end(services.now() + settledWithinMs);
    services.requestRecord.whenEnded(made.end);
  });
  return made;
}

export type BodyClaim = {
  /** What is known when the body has been read: its true size, and how many copies may be sent at once. */
  wasRead(bytes: number, timesSent: number): Promise<void>;
};

/** To be called before the rest of a large body is read. From the provider's answer on only the parsed body is claimed. */
export async function claimMemory(context: EdgeContext, maxBytes: number): Promise<BodyClaim> {
  const own = await claim(context, maxBytes * copiesWhileRead);
  let more: Claim | undefined;
  context.set("endBodyClaim", () => {
    own.end();
    more?.end();
  });
  return {
    async wasRead(bytes, timesSent) {
      const moreCopies = copiesWhileSent * (timesSent - 1);
      if (moreCopies === 0) own.shrink(bytes * copiesWhileRead);
      else {
        // While it waits for more, only the parsed body is alive, and only that is claimed. If two requests of one owner both kept
        // the claims for their copies, each would wait for the other.
        own.shrink(bytes * copiesWhileAnswered);
        more = await claim(context, bytes * (copiesWhileRead - copiesWhileAnswered + moreCopies));
      }
      const services = context.get("services");
      const countedFetch: typeof fetch = async (input, init) => {
        own.shrink(bytes * (copiesWhileSent + copiesWhileAnswered));
        more?.shrink(bytes * (copiesWhileSent + moreCopies));
        const answer = await services.fetch(input, init);
        own.shrink(bytes * copiesWhileAnswered);
        more?.end();
        return answer;
      };
      context.set("services", { ...services, fetch: countedFetch });
    },
  };
}

/** Copies of a kept answer while it is opened: as the database sends it, sealed, opened, decompressed, parsed. */
const copiesWhileOpened = 5;

/**
 * To be called before a large kept answer is opened; the claim ends when the handler returns. The request's body, which nobody reads
 * from here on, is given up first: replays that wait for memory while they hold some would wait for each other.
 */
export async function claimKept(context: EdgeContext, bytes: number): Promise<void> {
  forgetBody(context);
  context.get("endBodyClaim")?.();
  const { bodyMemoryBytes } = context.get("services").config;
  await claim(context, Math.min(bytes * copiesWhileOpened, bodyMemoryBytes));
}

/** To be called with the size of each piece of an answer that is kept whole, before it is kept. */
export type AnswerClaim = (chars: number) => Promise<void>;

/** Memory is claimed for this many characters at a time. Counting smaller answers would cost more than they do. */
const answerStepChars = 256 * 1024;
/** The events, and half of the text that is made of them at the end: its other half lies outside the heap. */
const copiesOfAnswer = 1.5;

const answerTooLarge = (): GatewayError =>
  new GatewayError(
    "request_too_large",
    "This service has not the memory for an answer of this size, which is charged as written; ask for fewer choices or log " +
      "probabilities, or for a stream of chat completions.",
  );

/**
 * Claims memory as an answer grows. With twenty log probabilities a token takes four kilobytes: without a bound answers of a few
 * cents filled the isolate, which ended every stream in it. Nothing waits here, since answers that all hold memory would wait for
 * each other. Throws `service_busy` or `request_too_large`.
 */
export function claimAnswerMemory(context: EdgeContext): AnswerClaim {
  const { bodyMemoryBytes } = context.get("services").config;
  const count = countSteps();
  return async (more) => {
    const { step, claimed } = count(more);
    if (step === 0) return;
    if (claimed > bodyMemoryBytes) throw answerTooLarge();
    await claim(context, step, 0);
  };
}

/** How many bytes to claim for each piece of an answer, and how many are claimed with them. */
function countSteps(): (chars: number) => { step: number; claimed: number } {
  let chars = 0;
  let claimed = answerStepChars;
  return (more) => {
    chars += more;
    const step = Math.max(0, Math.ceil((chars - claimed) / answerStepChars)) * answerStepChars;
    claimed += step;
    return { step: step * copiesOfAnswer, claimed: claimed * copiesOfAnswer };
  };
}

/** Claims memory as the recording of an answer grows. Unlike other claims it outlives the answer, until the recording is stored. */
export function claimRecordingMemory(context: EdgeContext): RecordingMemory {
  const services = context.get("services");
  const account = context.get("account");
  const requestLease = context.get("requestLease");
  const count = countSteps();
  const claims: Claim[] = [];
  return {
    async take(bytes) {
      const { step } = count(bytes);
      if (step === 0) return true;
      const wanted = { owner: account.accountId, request: requestLease!, bytes: step, isOptional: true };
      const made = await services.memory.claim(wanted, 0, services);
      if (made !== undefined) claims.push(made);
      return made !== undefined;
    },
    end: () => {
      for (const { end } of claims.splice(0)) end();
    },
  };
}
