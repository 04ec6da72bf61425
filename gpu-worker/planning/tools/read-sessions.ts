/** What is known of a request with tools before its plan is made: the vectors of its texts, and all that is computed from them once. */
import type { PlanRequest } from "../../../shared/planning.ts";
import type { EncodedText } from "../../world-model/encoder.ts";
import { mixTools } from "../../world-model/tool-ranking.ts";
import type { Tool } from "../../world-model/tools.ts";
import type { WorldModel } from "../../world-model/world-model.ts";
import { inOneCall } from "../in-one-call.ts";
import { isEnglish } from "../message/english.ts";
import { type Message, readMessage } from "../message/read-message.ts";
import { lastGoal, type SessionEvent, turnsOf } from "../session/events.ts";
import { type Evidence, readEvidence } from "../session/evidence.ts";
import { draftSession, type SessionDraft } from "../session/texts.ts";
import { type Purpose, readPurposes, withoutMute } from "./mute-tools.ts";
import { type Refused, readRefused } from "./refused-tools.ts";
import { addMixed, readToolNumbers, type ToolReading } from "./tool-numbers.ts";
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
  /** For each part of the message, what it is only for. */
  purposes: readonly (Purpose | undefined)[];
  /** Whether the conversation is a single message in another language than English. */
  isForeign: boolean;
  reading: ToolReading;
  evidence: Evidence;
  /** Vector of the last tool result: the state of the world. */
  seen: Float32Array | undefined;
  tokens: number;
};

/** Reads requests with tools: one encoder call for all their texts. */
export async function readSessions(model: WorldModel, requests: readonly PlanRequest[]): Promise<Session[]> {
  const read = requests.map((request) => draftSession(request, model.heads.settings));
  const encoded = await inOneCall(
    read.map(({ texts }) => texts),
    model.encoder.encode,
  );
  const sessions = read.map((draft, at) => openSession(model, draft, encoded[at]!));
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

/** Whether the user has spoken once, and nothing was said or done but greetings before. */
export function isOpening(events: readonly SessionEvent[]): boolean {
  const turns = turnsOf(events);
  return turns.at(-1)?.kind === "user" && turns.slice(0, -1).every(({ kind }) => kind === "assistant");
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
  const turns = turnsOf(events);
  const results = turns
    .slice(lastGoal(turns) + 1)
    .flatMap(({ kind, text }) => (kind === "result" ? [text] : []));
  const lastResult = kept.find(({ event }) => event.kind === "result")?.event;
  const numbers = readToolNumbers(tools, turns, kept, { asked, parts, events: vectors });
  const isFirst = isOpening(events);
  const message = readMessage(goal);
  const reading: ToolReading = {
    ...numbers,
    isOpening: isFirst,
    idle: isFirst ? findIdle(message) : new Set(),
  };
  return {
    request,
    tools,
    events,
    vectors,
    asked,
    isForeign: kept[0]?.isGoal === true && !isEnglish(goal, model.tokenizer.isWord),
    refused: readRefused({ ...request, isOpening: isFirst, results }, message, reading.bestParts, tools),
    purposes: readPurposes(message, turns.at(-1)?.kind === "user"),
    reading,
    seen: lastResult && vectors.get(lastResult),
    // Parts are not counted: their words are those of the goal.
    tokens: [encoded[0]!, ...encoded.slice(askedCount)].reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** "Please sort that out" and "let him know" may mean what another part tells. */
const refersBack = /\b(?:it|that|this|these|those|them|(?<=\b(?:let|tell|ask)\s)(?:him|her))\b/iu;

/** Places of the parts that ask for nothing, if another part asks for work: "the airline cancelled my flight, I want my money back". */
function findIdle({ parts, askings }: Message): ReadonlySet<number> {
  const isIdle = (part: number) => askings[part] === "little" || askings[part] === "nothing";
  const others = parts.filter((_, part) => !isIdle(part));
  if (!askings.includes("anything") || others.some((part) => refersBack.test(part))) return new Set();
  return new Set([...parts.keys()].filter(isIdle));
}

/**
 * Adds the mixer's scores (tool-ranking.ts) of the tools: for the last user message without the conversation, and for each of its parts.
 */
async function addMixerScores(
  model: WorldModel,
  sessions: readonly Pick<Session, "reading" | "tools" | "purposes">[],
): Promise<void> {
  const logits = await inOneCall(
    sessions.map(({ reading }) => reading.lists),
    (lists) => mixTools(model.heads, lists),
  );
  for (const [at, { reading, tools, purposes }] of sessions.entries())
    addMixed(reading, withoutMute(logits[at]!, tools, purposes));
}
