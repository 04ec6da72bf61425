/**
 * One stream of an sqld on this machine, on which all requests of an isolate write. sqld opens a database connection for each stream,
 * which takes 1 ms of its CPU time, and its writers block each other. So one request at a time sends on the stream, and takes along
 * the statements of all that wait by then: a group in one transaction, of which each gets its own outcome.
 *
 * On Workers a request cannot use another's I/O, but can be woken by it: the sender's own fetch carries what others wait for. Then all
 * that wait are woken, and the first that runs is the next sender: any of them may have gone with its client. Where nothing moves,
 * a waiting request is told to open a stream of its own.
 */
import { isDatabaseBusy, type Refused, type Sent } from "./connection.ts";
import type { StatementOutcome } from "./hrana.ts";

/** Sends statements on the stream that `baton` continues; null opens one. Ends by a deadline of its own. Throws if the answer is lost. */
export type SendGroup = (baton: string | null, statements: readonly string[]) => Promise<Sent | Refused>;

/** sqld closes a stream after 10 s without a request, counted from its answer to the next arrival. */
const expiresMs = 10_000;
const marginMs = 1_000;
/**
 * A group that takes longer is not waited for. With thousands of open streams one took half a second. Less patience makes it worse:
 * a request that leaves opens a stream of its own, which blocks the shared one's writes.
 */
const patienceMs = 3_000;
/** A group takes a few milliseconds, unless isolate or machine have more to do than they can. */
const slowMs = 1_000;
/** A waiting request looks at the stream once in `patienceMs`; one that has not done so for twice as long has gone. */
const goneMs = 2 * patienceMs;
/** Bounds of one group: its first statement gets its outcome only with the last. */
const maxStatements = 128;
const maxCharacters = 256 * 1024;

type Outcome = StatementOutcome | { error: unknown } | "unsent";
type Waiting = {
  readonly statement: string;
  readonly outcome: PromiseWithResolvers<Outcome>;
  /** Resolves when the stream is free again. */
  freed: PromiseWithResolvers<void>;
  /** When its request last looked at the stream. */
  seenAt: number;
  isSent: boolean;
};

export class SharedStream {
  readonly #now: () => number;
  /** Not sent yet, in the order in which they came. Some may have gone. */
  readonly #queue: Waiting[] = [];
  /** Sends since `#sentAt`. */
  #sender: Waiting | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #baton: string | null = null;
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** sqld may keep the stream of a lost answer open until then. With a new one for each, all its connections would be taken. */
  #blockedUntil = Number.NEGATIVE_INFINITY;
  /** When the last group that took long was answered. */
  #wasSlowAt = Number.NEGATIVE_INFINITY;

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Sends a statement, or has it sent. Undefined if it has not run and will not: the caller then opens a stream of its own. Throws for a
   * lost group, whose statements may have run, for one that found the database busy, and for a statement that was refused alone.
   */
  async send(
    statement: string,
    sendGroup: SendGroup,
    signal: AbortSignal,
  ): Promise<StatementOutcome | undefined> {
    this.#giveUpSender();
    const own = createWaiting(statement, this.#now());
    this.#queue.push(own);
    // At once: its caller has been told that it was not done, so nobody may take it along any more.
    signal.addEventListener("abort", () => this.#leave(own));
    while (!own.isSent) {
      if (signal.aborted || !this.#isMoving() || !this.#queue.includes(own)) {
        this.#leave(own);
        return undefined;
      }
      if (this.#sender === undefined) await this.#sendGroup(own, sendGroup);
      else await this.#wait(own);
    }
    const outcome = await own.outcome.promise;
    if (outcome === "unsent") return undefined;
    if ("error" in outcome) throw outcome.error;
    return outcome;
  }

  /**
   * Whether a group takes more than a second, or did so within the last one. A group that is no longer waited for does not count: its
   * sender may have been cut off, while nothing is slow.
   */
  get isSlow(): boolean {
    const now = this.#now();
    const takenMs = this.#sender === undefined ? 0 : now - this.#sentAt;
    // Absolute: the clock may have been set back since.
    return Math.abs(now - this.#wasSlowAt) < slowMs || (takenMs >= slowMs && takenMs < patienceMs);
  }

  async #wait(own: Waiting): Promise<void> {
    own.freed = Promise.withResolvers();
    await Promise.race([own.freed.promise, own.outcome.promise, sleep(patienceMs)]);
    own.seenAt = this.#now();
  }

  /** Sends the first of the queue, in order. The sender's own statement is not among them if too many came before it. */
  async #sendGroup(sender: Waiting, send: SendGroup): Promise<void> {
    this.#sender = sender;
    this.#sentAt = this.#now();
    const group = this.#takeGroup();
    const isOpen = this.#sentAt - this.#answeredAt < expiresMs - marginMs;
    const statements = group.map(({ statement }) => statement);
    const answer = await send(isOpen ? this.#baton : null, statements).catch((lost: unknown) => ({ lost }));
    if (this.#sender === sender) {
      if ("outcomes" in answer) {
        this.#baton = answer.baton;
        this.#answeredAt = this.#now();
        if (this.#answeredAt - this.#sentAt >= slowMs) this.#wasSlowAt = this.#answeredAt;
      } else if ("lost" in answer) {
        this.#baton = null;
        this.#blockedUntil = this.#now() + expiresMs + marginMs;
      }
      this.#free();
    }
    for (const [index, { outcome }] of group.entries())
      outcome.resolve(outcomeOf(answer, index, group.length));
  }

  /** A statement of a request that has gone is dropped: it would run at any later time, perhaps after what its client asked for since. */
  #takeGroup(): Waiting[] {
    const present = this.#queue.filter(({ seenAt }) => this.#now() - seenAt < goneMs);
    let characters = 0;
    const end = present.findIndex(({ statement }, index) => {
      characters += statement.length;
      return index > 0 && (index >= maxStatements || characters > maxCharacters);
    });
    const group = end < 0 ? present : present.slice(0, end);
    for (const waiting of group) waiting.isSent = true;
    this.#queue.splice(0, this.#queue.length, ...present.slice(group.length));
    return group;
  }

  #leave(waiting: Waiting): void {
    const index = this.#queue.indexOf(waiting);
    if (index >= 0) this.#queue.splice(index, 1);
  }

  #free(): void {
    this.#sender = undefined;
    for (const { freed } of this.#queue) freed.resolve();
  }

  #isMoving(): boolean {
    const now = this.#now();
    const isStuck = this.#sender !== undefined && Math.abs(now - this.#sentAt) >= patienceMs;
    const blockedMs = this.#blockedUntil - now;
    return !isStuck && (blockedMs <= 0 || blockedMs > expiresMs + marginMs);
  }

  /** A sender that was cut off never answers. It is given up, with its stream, when sqld has closed that, or the clock was set back. */
  #giveUpSender(): void {
    if (this.#sender === undefined || Math.abs(this.#now() - this.#sentAt) < expiresMs + marginMs) return;
    this.#baton = null;
    this.#free();
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const createWaiting = (statement: string, now: number): Waiting => ({
  statement,
  outcome: Promise.withResolvers(),
  freed: Promise.withResolvers(),
  seenAt: now,
  isSent: false,
});

/**
 * A refused group has done nothing. If the database is busy, each request gets that error and tries again on this stream: sqld has no
 * connections for a hundred streams. After another refusal the statements of a group are sent one by one ("unsent"), as sqld may have been
 * unable to read one of them.
 */
function outcomeOf(answer: Sent | Refused | { lost: unknown }, index: number, count: number): Outcome {
  if ("outcomes" in answer) return answer.outcomes[index]!;
  if ("lost" in answer) return { error: answer.lost };
  return count === 1 || isDatabaseBusy(answer.refused) ? { error: answer.refused } : "unsent";
}
