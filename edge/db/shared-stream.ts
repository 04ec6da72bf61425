/**
 * One stream of an sqld on this machine, which all requests of an isolate share. sqld opens a database connection for each stream,
 * which takes 1 ms of its CPU time, and its writers block each other. So one request at a time sends on the stream, and takes along
 * the statements of all that wait by then: a group in one transaction, of which each gets its own outcome.
 *
 * On Workers a request cannot use another's I/O, but can be woken by it: the sender's own fetch carries what others wait for, and the
 * next sender is woken to use its own. None depends on a request that has gone: where nothing moves, who waits is told to open a
 * stream of its own.
 */
import type { StatementOutcome } from "./hrana.ts";

/** An outcome for each statement of a group, and what continues the stream (null: it is closed). */
export type Sent = { baton: string | null; outcomes: readonly StatementOutcome[] };
/** Nothing was run, and no stream was opened or used. */
export type Refused = { refused: Error };
/** Sends statements on the stream that `baton` continues; null opens one. Ends by a deadline of its own. Throws if the answer is lost. */
export type SendGroup = (baton: string | null, statements: readonly string[]) => Promise<Sent | Refused>;

/** sqld closes a stream after 10 s without a request, counted from its answer to the next arrival. */
const expiresMs = 10_000;
const marginMs = 1_000;
/**
 * A group that takes longer is not waited for; nor is a sender that was woken and does not send. On a busy machine a group takes up to half
 * a second. Less patience makes it worse: who leaves opens a stream of its own, which blocks the shared one's writes.
 */
const patienceMs = 1_000;
/** Of one group: the first gets its outcome with the last. */
const maxStatements = 128;
const maxCharacters = 256 * 1024;

type Outcome = StatementOutcome | { error: unknown } | "unsent";
type Waiting = {
  readonly statement: string;
  readonly outcome: PromiseWithResolvers<Outcome>;
  /** Resolves when it is its turn to send. */
  readonly turn: PromiseWithResolvers<void>;
  isSent: boolean;
};

export class SharedStream {
  readonly #now: () => number;
  readonly #queue: Waiting[] = [];
  /** Who sends, or has been woken to send, since `#movedAt`. */
  #sender: Waiting | undefined;
  #movedAt = Number.NEGATIVE_INFINITY;
  #baton: string | null = null;
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** sqld may keep the stream of a lost answer open until then. With a new one for each, all its connections would be taken. */
  #blockedUntil = Number.NEGATIVE_INFINITY;

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Sends a statement, or has it sent. Undefined if it was not sent and never will be: the caller then opens a stream of its own. Throws
   * for a lost group, whose statements may have run, and for a statement that was refused alone.
   */
  async send(
    statement: string,
    sendGroup: SendGroup,
    signal: AbortSignal,
  ): Promise<StatementOutcome | undefined> {
    this.#dropSender();
    if (this.#isStuck() || this.#isBlocked()) return undefined;
    const own = createWaiting(statement);
    this.#queue.push(own);
    if (this.#sender === undefined) this.#passOn();
    while (!own.isSent && this.#sender !== own && !this.#isStuck() && !signal.aborted) {
      await Promise.race([own.turn.promise, own.outcome.promise, sleep(patienceMs)]);
    }
    if (!own.isSent) {
      if (this.#sender !== own || this.#isBlocked() || signal.aborted) {
        this.#leave(own);
        return undefined;
      }
      await this.#sendWaiting(own, sendGroup);
    }
    const outcome = await own.outcome.promise;
    if (outcome === "unsent") return undefined;
    if ("error" in outcome) throw outcome.error;
    return outcome;
  }

  async #sendWaiting(own: Waiting, sendGroup: SendGroup): Promise<void> {
    const group = takeGroup(this.#queue);
    this.#movedAt = this.#now();
    const isOpen = this.#movedAt - this.#answeredAt < expiresMs - marginMs;
    const statements = group.map(({ statement }) => statement);
    const answer = await sendGroup(isOpen ? this.#baton : null, statements).catch((lost: unknown) => ({
      lost,
    }));
    if (this.#sender === own) {
      if ("outcomes" in answer) {
        this.#baton = answer.baton;
        this.#answeredAt = this.#now();
      } else if ("lost" in answer) this.#block();
      this.#passOn();
    }
    for (const [index, { outcome }] of group.entries())
      outcome.resolve(outcomeOf(answer, index, group.length));
  }

  #passOn(): void {
    this.#sender = this.#queue[0];
    this.#movedAt = this.#now();
    this.#sender?.turn.resolve();
  }

  #leave(waiting: Waiting): void {
    const index = this.#queue.indexOf(waiting);
    if (index >= 0) this.#queue.splice(index, 1);
    if (this.#sender === waiting) this.#passOn();
  }

  #isStuck(): boolean {
    return this.#sender !== undefined && this.#now() - this.#movedAt >= patienceMs;
  }

  #isBlocked(): boolean {
    return this.#now() < this.#blockedUntil;
  }

  #block(): void {
    this.#baton = null;
    this.#blockedUntil = this.#now() + expiresMs + marginMs;
  }

  /** A sender whose request was cut off is passed over if it has not sent, and else given up, with its stream, when sqld has closed that. */
  #dropSender(): void {
    if (this.#sender === undefined || !this.#isStuck()) return;
    if (!this.#sender.isSent) this.#leave(this.#sender);
    else if (this.#now() - this.#movedAt >= expiresMs + marginMs) {
      this.#baton = null;
      this.#passOn();
    }
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const createWaiting = (statement: string): Waiting => ({
  statement,
  outcome: Promise.withResolvers(),
  turn: Promise.withResolvers(),
  isSent: false,
});

/** A refused group has done nothing. Its statements are sent one by one then: it may have been one of them that sqld cannot read. */
function outcomeOf(answer: Sent | Refused | { lost: unknown }, index: number, count: number): Outcome {
  if ("outcomes" in answer) return answer.outcomes[index]!;
  if ("lost" in answer) return { error: answer.lost };
  return count === 1 ? { error: answer.refused } : "unsent";
}

/** Takes the statements of the next group out of the queue: at least one. */
function takeGroup(queue: Waiting[]): Waiting[] {
  let characters = 0;
  const fits = ({ statement }: Waiting, index: number) => {
    characters += statement.length;
    return index === 0 || (index < maxStatements && characters <= maxCharacters);
  };
  const end = queue.findIndex((waiting, index) => !fits(waiting, index));
  const group = queue.splice(0, end < 0 ? queue.length : end);
  for (const waiting of group) waiting.isSent = true;
  return group;
}
