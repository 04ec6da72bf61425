/**
 * Several answers to one request (OpenAI `n`) from a provider that gives one at a time: parallel calls,
 * their events merged under their own choice number. What each used is counted for each call.
 */
import type { ChatEvent, ChatRequest } from "../../shared/chat.ts";
import type { CallContext, ProviderAnswer } from "./call.ts";
import { callWithFailover } from "./failover.ts";
import type { Route } from "./resolve-route.ts";

/** Calls open at once: a Worker may hold six connections, and the database needs one. */
const maxParallelCalls = 4;

/** One call's batch under its own choice number. Start and usage are taken from the first call only. */
function relabel(events: readonly ChatEvent[], choice: number): ChatEvent[] {
  return events.flatMap((event): ChatEvent[] => {
    if (event.type === "start" || event.type === "usage") return choice === 0 ? [event] : [];
    return "choice" in event ? [{ ...event, choice }] : [event];
  });
}

/**
 * A different seed for each choice: with one seed all answers would be the same. A 32-bit seed wraps, since most providers take no
 * more bits. A seed beyond 2^53 is scaled down first, since adding 1 to it would change nothing.
 */
function seedOf(seed: number, choice: number): number {
  if ((seed | 0) === seed) return (seed + choice) | 0;
  return choice === 0 || Number.isSafeInteger(seed) ? seed + choice : Math.trunc(seed / 2 ** 11) + choice;
}

type Arrival = { choice: number; result: IteratorResult<ChatEvent[], void> };

async function* merge(
  first: ProviderAnswer[],
  callNext: (choice: number) => Promise<ProviderAnswer>,
  choices: number,
): ProviderAnswer["events"] {
  const open = new Map<number, { events: ProviderAnswer["events"]; next: Promise<Arrival> }>();
  const advance = (choice: number, events: ProviderAnswer["events"]) => {
    open.set(choice, { events, next: events.next().then((result) => ({ choice, result })) });
  };
  first.forEach(({ events }, choice) => {
    advance(choice, events);
  });
  let started = first.length;
  try {
    while (open.size > 0) {
      const { choice, result } = await Promise.race([...open.values()].map(({ next }) => next));
      if (!result.done) {
        const events = relabel(result.value, choice);
        yield events;
        if (events.at(-1)?.type === "error") return;
        advance(choice, open.get(choice)!.events);
        continue;
      }
      open.delete(choice);
      if (started < choices) advance(started, (await callNext(started++)).events);
    }
  } catch {
    // A call for a later choice was refused, when other answers are already being streamed.
    yield [
      {
        type: "error",
        code: "upstream_error",
        message: "One of the answers asked for was refused; ask for fewer at once.",
      },
    ];
  } finally {
    for (const { events } of open.values()) events.return().catch(() => {});
  }
}

/** As callWithFailover, with a call for each choice. Throws if one of the calls made at once (`maxParallelCalls`) is refused. */
export async function callForChoices(
  route: Route,
  request: ChatRequest,
  maxOutputTokens: number | undefined,
  context: CallContext,
): Promise<ProviderAnswer> {
  const single = { ...request, choices: 1 };
  const callOne = (choice: number) =>
    callWithFailover(
      route,
      request.seed === undefined ? single : { ...single, seed: seedOf(request.seed, choice) },
      maxOutputTokens,
      context,
    );
  const first = await Promise.all(
    Array.from({ length: Math.min(request.choices, maxParallelCalls) }, (_, choice) => callOne(choice)),
  );
  return { events: merge(first, callOne, request.choices), unsupported: first[0]!.unsupported };
}
