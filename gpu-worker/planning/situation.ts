/**
 * Reads a batch of requests into situations: one encoder call for all their texts, then latents, the
 * candidates of each request and how alike each candidate is to each clause of its goal.
 */
import type { PlanRequest } from "../../shared/planning.ts";
import {
  type Candidate,
  type CandidateSet,
  createCandidateSet,
  likenessTo,
  stemSet,
  type TextReading,
} from "../world-model/candidates.ts";
import type { EncodedText, TextToEncode } from "../world-model/encoder.ts";
import { informationOf, magnitudeOf } from "../world-model/magnitude.ts";
import { scaled } from "../world-model/transition.ts";
import { dot, dotRows } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { longestInstruction, type RequestTexts, recentHistory, textsOf } from "./texts.ts";

/** Something already done or planned: what it covers and what it resembles. */
export type Taken = {
  name: string;
  effect: Candidate["effect"];
  /** What came back says that it did not work. */
  failed: boolean;
  /** Likeness to each clause, on the scale of the situation's. */
  likeness: readonly number[];
  /** Cosine with every candidate. */
  alike(): Float32Array;
};

export type Situation = {
  request: PlanRequest;
  /** The caller's tools where there are any, else the actions. */
  set: CandidateSet;
  usesTools: boolean;
  /** Latents: magnitude x direction. */
  state: Float32Array;
  goal: Float32Array;
  /** Cosine of state and goal. */
  proximity: number;
  /**
   * Likeness of every candidate to each clause, scaled so that the best of every clause is equally good:
   * a clause in rare words must not outbid the ones before it.
   */
  likeness: readonly Float32Array[];
  /** Likeness of each clause's best candidate. */
  best: readonly number[];
  history: readonly Taken[];
  tokens: number;
};

/** A clause that nothing fits must not be scaled up to look as if something did. */
const mostScale = 1.5;
export async function readSituations(
  model: WorldModel,
  requests: readonly PlanRequest[],
): Promise<Situation[]> {
  const { planning } = model.manifest;
  const anchors: TextToEncode[] = [planning.observation.failed, planning.observation.succeeded].map(
    (text) => ({ text, keep: "start", remember: true }),
  );
  const texts = requests.map((request) => textsOf(model, request));
  const flat = texts.map((of) => [
    of.goal,
    of.state,
    ...of.clauses,
    ...of.actions,
    ...of.observation,
    ...of.tools,
  ]);
  const encoded = await model.encoder.encode([...anchors, ...flat.flat()]);
  const [failed, succeeded] = encoded;
  let next = anchors.length;
  const take = (count: number) => {
    next += count;
    return encoded.slice(next - count, next);
  };
  return requests.map((request, place) => {
    const of = texts[place]!;
    const [goal, state] = take(2) as [EncodedText, EncodedText];
    const clauses = take(of.clauses.length);
    const actions = take(of.actions.length);
    const [observation] = take(of.observation.length);
    const tools = take(of.tools.length);
    const lastFailed =
      observation !== undefined &&
      dot(observation.vector, failed!.vector) >
        dot(observation.vector, succeeded!.vector) + planning.observation.margin;
    return situate(model, request, { of, goal, state, clauses, actions, observation, tools, lastFailed });
  });
}

type Read = {
  of: RequestTexts;
  goal: EncodedText;
  state: EncodedText;
  clauses: EncodedText[];
  actions: EncodedText[];
  observation: EncodedText | undefined;
  tools: EncodedText[];
  lastFailed: boolean;
};

function situate(model: WorldModel, request: PlanRequest, read: Read): Situation {
  const { manifest, idf, table } = model;
  const { planning } = manifest;
  const usesTools = request.tools.length > 0;
  const weights = usesTools ? planning.toolLikeness : planning.actionLikeness;
  const { stems } = model.tokenizer;
  const goalTexts = [read.of.goal, ...read.of.clauses];
  const readings = [read.goal, ...read.clauses].map(({ vector, tokens }, i): TextReading => {
    return {
      vector,
      stems: stemSet(stems, tokens),
      ...model.lexicon.readText(goalTexts[i]!.text.slice(0, longestInstruction)),
    };
  });
  /** Per clause; a clause alone loses what the goal said before it, so a share of the whole stays. */
  const perClause = (set: CandidateSet): Float32Array[] => {
    const [whole, ...parts] = readings.map((reading) => likenessTo(set, reading, idf, weights));
    const share = planning.wholeGoalShare;
    return parts.length === 0
      ? [whole!]
      : parts.map((part) => part.map((value, i) => share * whole![i]! + (1 - share) * value));
  };
  const set = usesTools ? model.readTools(request.tools, read.tools) : table.set;
  const raw = perClause(set);
  const peaks = raw.map((scores) => scores.reduce((highest, score) => Math.max(highest, score), 0));
  const common = peaks.reduce((sum, peak) => sum + peak, 0) / peaks.length;
  const scales = peaks.map((peak) => (peak > 0 ? Math.min(mostScale, common / peak) : 0));
  const likeness = raw.map((scores, clause) => scores.map((score) => score * scales[clause]!));

  const recent = recentHistory(request);
  const history = recent.map(({ action }, step): Taken => {
    const failed = read.lastFailed && step === recent.length - 1;
    const row = set.candidates.findIndex(({ name }) => name === action);
    if (row !== -1) return takenFrom(set, row, likeness, failed);
    // Neither a tool of this request nor one of the actions: read by its own name, mapped onto the nearest action.
    const { vector, tokens } = read.actions[step]!;
    const reading = model.lexicon.readName(action);
    const actionId = table.idOfTool(vector, reading);
    const effect = reading.effect ?? table.effectOf(actionId);
    const own = createCandidateSet({
      candidates: [{ ...reading, name: action, actionId, effect, system: false }],
      vectors: vector,
      nameTokens: [stemSet(stems, tokens)],
      textTokens: [stemSet(stems, tokens)],
    });
    const ownLikeness = perClause(own).map((scores, clause) =>
      scores.map((score) => score * scales[clause]!),
    );
    const cosines = dotRows(set.vectors, vector);
    return { ...takenFrom(own, 0, ownLikeness, failed), alike: () => cosines };
  });
  const latent = ({ vector, tokens }: EncodedText) =>
    scaled(vector, magnitudeOf(informationOf(stemSet(stems, tokens), idf), planning.magnitudeKnots));
  const billed = [
    read.goal,
    read.state,
    ...read.actions,
    ...(read.observation ? [read.observation] : []),
    ...read.tools,
  ];
  return {
    request,
    set,
    usesTools,
    state: latent(read.state),
    goal: latent(read.goal),
    proximity: dot(read.state.vector, read.goal.vector),
    likeness,
    best: peaks.map((peak, clause) => peak * scales[clause]!),
    history,
    tokens: billed.reduce((sum, { tokens }) => sum + tokens.length, 0),
  };
}

/** Candidate `row` as something taken. */
export function takenFrom(
  set: CandidateSet,
  row: number,
  likeness: readonly Float32Array[],
  failed = false,
): Taken {
  const { name, effect } = set.candidates[row]!;
  return {
    name,
    effect,
    failed,
    likeness: likeness.map((scores) => scores[row]!),
    alike: () => set.alike(row),
  };
}
