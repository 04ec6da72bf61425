/**
 * Plans over the caller's tools. The conversation is encoded once. The session reader then names the next tool, which is
 * appended as a planned call, and so on until the endings together are likely enough to stop (tool-chances.ts).
 */
import type { PlanRequest } from "../../shared/planning.ts";
import type { EncodedText } from "../world-model/encoder.ts";
import { endings, maxEvents, type ReadEvent, type SessionView } from "../world-model/session-reader.ts";
import { mixTools } from "../world-model/tool-choice.ts";
import type { Tool } from "../world-model/tools.ts";
import { softmax } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { type Evidence, readEvidence } from "./evidence.ts";
import { isEnglish, isSmallTalk } from "./goal-text.ts";
import { weighStep } from "./mixer-trust.ts";
import { type Refused, readRefused } from "./refused-tools.ts";
import {
  hasCalls,
  keepEvents,
  looksEmpty,
  looksFailed,
  type SessionEvent,
  turnsOf,
} from "./session-events.ts";
import { draftSession, type SessionDraft } from "./session-texts.ts";
import { onlyAllowed, stopThreshold, sumOf, withoutForbidden } from "./tool-chances.ts";
import { addCalls, addMixed, readToolNumbers, type ToolReading } from "./tool-numbers.ts";
import { readToolWishes } from "./tool-wishes.ts";

export type Session = {
  request: PlanRequest;
  tools: readonly Tool[];
  events: readonly SessionEvent[];
  /** The vector of every kept event. */
  vectors: ReadonlyMap<SessionEvent, Float32Array>;
  /** Vectors of the last user message and, after it, of its parts. */
  asked: readonly Float32Array[];
  /** Tools ruled out by the message's words. */
  refused: Refused;
  /** Whether the conversation is a single message in another language than English. */
  isForeign: boolean;
  reading: ToolReading;
  evidence: Evidence;
  /** Vector of the last tool result: the state of the world. */
  seen: Float32Array | undefined;
  tokens: number;
};

export type ToolStep = { tool: number; probability: number };
/** `tools`, `endings`: probabilities before the first step. `stops`: whether the plan ends there, without any step. */
export type ToolPlan = {
  steps: ToolStep[];
  tools: Float64Array;
  /** The highest probability that each tool had before any step. */
  peaks: Float64Array;
  endings: Record<(typeof endings)[number], number>;
  stops: boolean;
};

/** Reads requests with tools: one encoder call for all their texts. */
export async function readSessions(model: WorldModel, requests: readonly PlanRequest[]): Promise<Session[]> {
  const read = requests.map((request) => draftSession(request, model.heads.settings));
  const encoded = await model.encoder.encode(read.flatMap(({ texts }) => texts));
  let next = 0;
  const sessions = read.map((draft) => {
    const own = encoded.slice(next, next + draft.texts.length);
    next += own.length;
    return openSession(model, draft, own);
  });
  await addMixerScores(model, sessions);
  const wished = await readToolWishes(model, sessions);
  const weights = model.manifest.planning.session.evidence;
  return sessions.map((session, at) => {
    const { request, tools, events } = session;
    const offered = request.tools.map(({ needs = [] }, row) => {
      return { ...tools[row]!, needs, wished: wished[at]?.tools[row] };
    });
    return { ...session, evidence: readEvidence(offered, turnsOf(events), weights, wished[at]?.asks) };
  });
}

/** `encoded`: the goal, its parts, the other events, the tools, in this order. */
function openSession(
  model: WorldModel,
  draft: SessionDraft,
  encoded: readonly EncodedText[],
): Omit<Session, "evidence"> {
  const { request, events, kept, goal, parts, others } = draft;
  const toolsAt = encoded.length - request.tools.length;
  const askedCount = toolsAt - others.length;
  const tools = request.tools.map((tool, row) => model.readTool(tool, encoded[toolsAt + row]!));
  const asked = encoded.slice(0, askedCount).map(({ vector }) => vector);
  const byName = new Map(tools.map(({ name, vector }) => [name, vector]));
  const vectors = new Map(others.map((event, at) => [event, encoded[askedCount + at]!.vector]));
  for (const { event, isGoal } of kept) {
    if (isGoal) vectors.set(event, asked[0]!);
    else if (!vectors.has(event)) vectors.set(event, byName.get(event.text)!);
  }
  const lastResult = kept.find(({ event }) => event.kind === "result")?.event;
  const reading = readToolNumbers(tools, turnsOf(events), kept, { asked, parts, events: vectors });
  return {
    request,
    tools,
    events,
    vectors,
    asked,
    isForeign: kept[0]?.isGoal === true && !isEnglish(goal, model.tokenizer.isWord),
    refused: readRefused(request, { goal, parts, bestParts: reading.bestParts }, tools),
    reading,
    seen: lastResult && vectors.get(lastResult),
    // Parts are not counted: their words are those of the goal.
    tokens: [encoded[0]!, ...encoded.slice(askedCount)].reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** Adds the mixer's scores (tool-choice.ts) of the tools: for the last user message without the conversation, and for each of its parts. */
async function addMixerScores(
  model: WorldModel,
  sessions: readonly Pick<Session, "reading">[],
): Promise<void> {
  const logits = await mixTools(
    model.heads,
    sessions.flatMap(({ reading }) => reading.lists),
  );
  let next = 0;
  for (const { reading } of sessions) {
    addMixed(reading, logits.slice(next, next + reading.lists.length));
    next += reading.lists.length;
  }
}

/** One plan per session, in order: at most `maxSteps` tools, and none twice in a row with low confidence. */
export async function planTools(model: WorldModel, sessions: readonly Session[]): Promise<ToolPlan[]> {
  const { session: config, confidence } = model.manifest.planning;
  const plans = sessions.map((): ToolPlan | undefined => undefined);
  let live = sessions.map((session, at) => ({ session, at, planned: [] as SessionEvent[] }));
  while (live.length > 0) {
    const views = live.map(({ session, planned }) => viewOf(session, planned));
    const logits = await model.reader.read(views);
    live = live.filter(({ session, at, planned }, row) => {
      const { tools, request } = session;
      const next = judgeNext(session, planned, views[row]!, logits[row]!, config);
      plans[at] ??= { steps: [], ...next, peaks: next.tools.slice() };
      if (next.stops) return false;
      const tool = next.tools.indexOf(Math.max(...next.tools));
      const probability = next.tools[tool]!;
      const { steps, peaks } = plans[at];
      for (const [row, chance] of next.tools.entries()) peaks[row] = Math.max(peaks[row]!, chance);
      // In plans for authored sessions, only 79 of 867 such repetitions were calls that were really made again.
      if (tool === steps.at(-1)?.tool && probability < confidence.medium) return false;
      steps.push({ tool, probability });
      planned.push({ kind: "planned", text: tools[tool]!.name });
      return steps.length < request.maxSteps;
    });
  }
  return plans as ToolPlan[];
}

/** What may come after the steps planned so far: the probabilities of the tools and the endings, and whether the plan stops here. */
function judgeNext(
  session: Session,
  planned: readonly SessionEvent[],
  view: SessionView,
  logits: Float64Array,
  config: WorldModel["manifest"]["planning"]["session"],
): Omit<ToolPlan, "steps" | "peaks"> {
  const { tools, request, events, asked, reading, refused, evidence } = session;
  const step = planned.length;
  const isBegun = hasCalls([...events, ...planned]);
  const weigh = (read: Float64Array) => weighStep(session, planned, softmax(read), config.mixerTrust);
  const weighed = weigh(withoutForbidden(logits, { ...reading, refused, isBegun }, config.forbiddenFrom));
  const chances = step === 0 ? onlyAllowed(request, weighed) : weighed;
  const ofTools = chances.subarray(0, tools.length);
  // Before the first call, ruling tools out does not make an ending likelier: whether a call is needed is read from all tools.
  const isOpen = !isBegun && sumOf(ofTools) > 0;
  const ending = 1 - sumOf((isOpen ? weigh(logits) : chances).subarray(0, tools.length));
  const isOver = !isBegun && isSmallTalk(request.goal);
  const mayStop = step > 0 || !request.mustCall;
  const threshold = stopThreshold({ view, parts: asked.length - 1, step }, evidence, config);
  return {
    tools: ofTools,
    endings: Object.fromEntries(
      endings.map((name, place) => [name, chances[tools.length + place]!]),
    ) as ToolPlan["endings"],
    stops: mayStop && (isOver || ending >= threshold),
  };
}

/** The reader's input: the newest events first, the goal's parts next to the goal, the system prompt last. */
function viewOf(
  { events, vectors, tools, asked, reading }: Session,
  planned: readonly SessionEvent[],
): SessionView {
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
