/**
 * Plans over the caller's tools. The session reader names the next tool, which is appended as a planned call, and so on until the
 * endings together are likely enough to stop (tool-chances.ts). In the plan for a conversation's first message the tools are chosen
 * anew and put in the order of the message.
 */
import { endings, maxEvents, type ReadEvent, type SessionView } from "../../world-model/session-reader.ts";
import { softmax } from "../../world-model/vectors.ts";
import type { WorldModel } from "../../world-model/world-model.ts";
import { asksNothing } from "../message/denials.ts";
import { partsOf, splitGoal } from "../message/goal-text.ts";
import { isSmallTalk, tellsEvent } from "../message/remarks.ts";
import { changesByName } from "../session/call-effects.ts";
import {
  hasCalls,
  keepEvents,
  looksEmpty,
  looksFailed,
  type SessionEvent,
  turnsOf,
} from "../session/events.ts";
import { chooseCalls, type ToolStep } from "./choose-calls.ts";
import { weighStep } from "./mixer-trust.ts";
import { orderByParts } from "./order-steps.ts";
import { isOpening, type Session } from "./read-sessions.ts";
import { onlyAllowed, stopThreshold, sumOf, withoutForbidden } from "./tool-chances.ts";
import { addCalls } from "./tool-numbers.ts";
import { isUnaskedChange, withoutAsides } from "./unasked-tools.ts";

/** What may come next: the probability of each tool and ending. `stops`: whether the plan ends here. */
type Next = {
  tools: Float64Array;
  endings: Record<(typeof endings)[number], number>;
  stops: boolean;
};

/** `tools`, `endings` and `stops` are those before the first step: a plan that stops there has no steps. */
export type ToolPlan = Next & {
  steps: ToolStep[];
  /** The highest probability that each tool had before any step. */
  peaks: Float64Array;
};

/** A plan that is being made. `planned`: its steps as events. `plan`: undefined before the first step is judged. */
type Growing = { session: Session; planned: SessionEvent[]; plan: ToolPlan | undefined };

/** One plan per session, in order: at most `maxSteps` tools, and none twice in a row with low confidence. */
export async function planTools(model: WorldModel, sessions: readonly Session[]): Promise<ToolPlan[]> {
  const { session: config, confidence } = model.manifest.planning;
  const all = sessions.map((session): Growing => ({ session, planned: [], plan: undefined }));
  let live = all;
  while (live.length > 0) {
    const views = live.map(viewOf);
    const logits = await model.reader.read(views);
    live = live.filter((growing, row) => {
      const next = judgeNext(growing, views[row]!, logits[row]!, config);
      return addStep(growing, next, confidence.medium);
    });
  }
  return all.map(({ plan }) => plan!);
}

const highest = (chances: Float64Array): number => chances.indexOf(Math.max(...chances));

/** Adds the likeliest tool as the next step, unless the plan stops here. Returns whether it goes on. */
function addStep(growing: Growing, next: Next, repeatedFrom: number): boolean {
  const { session, planned } = growing;
  const { tools, request } = session;
  growing.plan ??= { ...next, steps: [], peaks: next.tools.slice() };
  const { steps, peaks } = growing.plan;
  if (next.stops) return false;
  const tool = highest(next.tools);
  const probability = next.tools[tool]!;
  for (const [row, chance] of next.tools.entries()) peaks[row] = Math.max(peaks[row]!, chance);
  // In plans for authored sessions, only 79 of 867 such repetitions were calls that were really made again.
  if (tool === steps.at(-1)?.tool && probability < repeatedFrom) return false;
  steps.push({ tool, probability });
  planned.push({ kind: "planned", text: tools[tool]!.name });
  return steps.length < request.maxSteps;
}

/** What may come after the steps planned so far. */
function judgeNext(
  { session, planned }: Growing,
  view: SessionView,
  logits: Float64Array,
  config: WorldModel["manifest"]["planning"]["session"],
): Next {
  const { tools, request, events, asked, reading, refused, evidence } = session;
  const step = planned.length;
  const isBegun = hasCalls([...events, ...planned]);
  const weigh = (read: Float64Array) => weighStep(session, planned, softmax(read), config.mixerTrust);
  const possible = withoutForbidden(logits, { ...reading, refused, isBegun }, config.forbiddenFrom);
  const allowed = step === 0 ? withoutAsides(possible, session, config.likely.askedFrom) : possible;
  const isNoneLeft = allowed.subarray(0, tools.length).every((logit) => logit === Number.NEGATIVE_INFINITY);
  const weighed = weigh(allowed);
  const chances = step === 0 ? onlyAllowed(request, weighed) : weighed;
  const ofTools = chances.subarray(0, tools.length);
  // Before the first call, ruling tools out does not make an ending likelier: whether a call is needed is read from all tools. Nor does
  // leaving out changes after a failure.
  const judged = isBegun || isNoneLeft ? possible : logits;
  const ending = 1 - sumOf(weigh(judged).subarray(0, tools.length));
  // "Don't copy him" may answer a question about an earlier request, which stands.
  const isOver = !isBegun && (isSmallTalk(request.goal) || (isOpening(events) && asksNothing(request.goal)));
  const mayStop = step > 0 || !request.mustCall;
  const isBeside = isUnaskedChange(reading, tools, highest(ofTools), config.likely.askedFrom);
  const threshold = stopThreshold({ view, parts: asked.length - 1, step, isBeside }, evidence, config);
  return {
    tools: ofTools,
    endings: Object.fromEntries(
      endings.map((name, place) => [name, chances[tools.length + place]!]),
    ) as Next["endings"],
    stops: mayStop && (isOver || isNoneLeft || ending >= threshold),
  };
}

/** The reader's input: the newest events first, the goal's parts next to the goal, the system prompt last. */
function viewOf({ session, planned }: Growing): SessionView {
  const { events, vectors, tools, asked, reading } = session;
  const all = [...events, ...planned];
  const parts = asked.slice(1).map((vector): ReadEvent => ({ kind: "part", vector, numbers: [0, 0, 0, 0] }));
  const rows = keepEvents(all).flatMap(({ event, isAfterGoal, isGoal }): ReadEvent[] => {
    const { kind, text } = event;
    const vector = vectors.get(event) ?? tools.find(({ name }) => name === text)!.vector;
    const seen = kind === "result" ? [Number(looksFailed(text)), Number(looksEmpty(text))] : [0, 0];
    const own: ReadEvent = { kind, vector, numbers: [Number(isAfterGoal), Number(isGoal), ...seen] };
    return isGoal ? [own, ...parts] : [own];
  });
  const numbers = addCalls(reading, tools, turnsOf(all));
  return {
    // If there are too many, the oldest are dropped; the system prompt, which is last, stays.
    events: rows.length <= maxEvents ? rows : [...rows.slice(0, maxEvents - 1), rows.at(-1)!],
    tools: tools.map(({ vector }, row) => ({ vector, numbers: numbers[row]! })),
  };
}

/** The plans that are served: the first one of a conversation is chosen anew, and in the order of the message. */
export async function planInOrder(model: WorldModel, sessions: readonly Session[]): Promise<ToolPlan[]> {
  const plans = await planTools(model, sessions);
  return plans.map((plan, at) => planOpening(model, sessions[at]!, plan));
}

/**
 * The mixer's probabilities in the parts that can ask for a call. A denied part asks for none, though the tool that it is about may be
 * too unlikely there to be ruled out; nor does what happened ("Ticket 44 was closed by mistake. Reopen it"). All parts, if none is
 * left.
 */
function listAsking({ request, refused, reading: { mixedParts } }: Session): readonly Float64Array[] {
  const parts = partsOf(request.goal);
  const all = [...mixedParts.keys()];
  const open = all.filter((at) => refused.denied.every(({ part }) => part !== at));
  const asking = open.filter((at) => !tellsEvent(parts[at] ?? ""));
  const kept = [asking, open, all].find(({ length }) => length > 0) ?? [];
  return kept.map((at) => mixedParts[at]!);
}

/** The plan for a conversation's first message; any other plan stays as it is. */
function planOpening({ manifest: { planning } }: WorldModel, session: Session, plan: ToolPlan): ToolPlan {
  const {
    request,
    events,
    reading: { mixedParts },
  } = session;
  if (request.mustCall || plan.stops || !isOpening(events) || mixedParts.length === 0) return plan;
  const { calls, likely, leadsFrom } = planning.session;
  const chosen = chooseCalls(plan, listAsking(session), calls);
  const changes = session.tools.map(changesByName);
  const read = { parts: splitGoal(request.goal), mixedParts, tools: plan.tools, changes };
  const limits = { askedFrom: likely.askedFrom, firstFrom: calls.firstFrom, leadsFrom };
  const steps = orderByParts(chosen, read, limits).slice(0, request.maxSteps);
  // A later step's probability says that it is called at all. The first keeps the highest that the reader gave it before any step, which
  // says best how often it comes next.
  const first = steps[0]!;
  return { ...plan, steps: steps.with(0, { ...first, probability: plan.peaks[first.tool]! }) };
}
