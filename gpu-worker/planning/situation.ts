/**
 * encode: a batch of requests as situations. One encoder call for all their texts, then latents of goal and
 * state, the memory of what was done, and the caller's tools against the goal.
 */
import type { PlanRequest } from "../../shared/planning.ts";
import type { TextToEncode } from "../world-model/encoder.ts";
import type { Place } from "../world-model/heads.ts";
import type { EncodedText } from "../world-model/text-memory.ts";
import { readToolList, type ToolList } from "../world-model/tool-choice.ts";
import type { Tool } from "../world-model/tools.ts";
import { dot, norm } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { recentHistory, textsOf } from "./texts.ts";

/** One instruction of a goal: its latent and, where the caller brought tools, how they stand to it. */
export type Aim = {
  latent: Float32Array;
  list: ToolList | undefined;
};

export type Situation = {
  request: PlanRequest;
  /** Where it stands: latents of state and goal, memory of the steps already taken. */
  place: Place;
  /** The caller's tools; where there are any the plan chooses among these. */
  tools: readonly Tool[];
  /** What is pursued, one after the other: the goal itself where it is one instruction. */
  aims: readonly Aim[];
  /** Tools and actions already taken; a last one that failed is not among them. */
  taken: readonly { name: string; vector: Float32Array }[];
  /** Cosine of the state's and the goal's latents. */
  proximity: number;
  /** Tokens the encoder read. */
  tokens: number;
};

/** An instruction of no more words ("book it") says little of what it is about. */
const shortClauseWords = 3;

export async function readSituations(
  model: WorldModel,
  requests: readonly PlanRequest[],
): Promise<Situation[]> {
  const { observation } = model.manifest.planning;
  const anchors = [observation.failed, observation.succeeded].map(
    (text): TextToEncode => ({ text, keep: "start", remember: "lasting" }),
  );
  const texts = requests.map((request) => textsOf(model, request));
  const flat = texts.flatMap((of) => [
    of.goal,
    of.state,
    ...of.clauses,
    ...of.sentences,
    ...of.actions,
    ...of.observation,
    ...of.tools,
  ]);
  const [failed, succeeded, ...encoded] = await model.encoder.encode([...anchors, ...flat]);
  let next = 0;
  const take = (count: number) => {
    next += count;
    return encoded.slice(next - count, next);
  };
  const read = texts.map((of) => {
    const [goal, state] = take(2) as [EncodedText, EncodedText];
    const clauses = take(of.clauses.length);
    const sentences = take(of.sentences.length);
    const actions = take(of.actions.length);
    const [seen] = take(of.observation.length);
    const tools = take(of.tools.length);
    const looksFailed =
      seen !== undefined &&
      dot(seen.vector, failed!.vector) > dot(seen.vector, succeeded!.vector) + observation.margin;
    const billed = [goal, state, ...actions, ...(seen ? [seen] : []), ...tools];
    const tokens = billed.reduce((sum, one) => sum + one.tokens, 0);
    const parts = sentences.map(({ vector }) => vector);
    const whole = { text: of.goal.text, vector: goal.vector, vectors: [goal.vector, ...parts] };
    const aims = of.clauses.map(({ text }, place) => {
      const { wholeGoalShare, shortClauseShare } = model.manifest.planning;
      const isShort = text.split(/\s+/).length <= shortClauseWords;
      const vector = blend(clauses[place]!.vector, goal.vector, isShort ? shortClauseShare : wholeGoalShare);
      return { text, vector, vectors: [vector] };
    });
    return { whole, aims: aims.length > 0 ? aims : [whole], state, actions, looksFailed, tools, tokens };
  });
  const latents = await model.heads.latents(
    read.flatMap(({ whole, aims, state }) => [
      whole.vector,
      state.vector,
      ...aims.map(({ vector }) => vector),
    ]),
  );
  const tools = requests.map((request, at) =>
    request.tools.map((tool, row) => model.readTool(tool, read[at]!.tools[row]!)),
  );
  const steps = requests.map((request, at) => {
    const recent = recentHistory(request).map(({ action }, step) => ({
      name: action,
      vector: vectorOf(model, action, tools[at]!, read[at]!.actions[step]!),
    }));
    // A step that failed is as good as not taken: it may be tried again.
    return read[at]!.looksFailed ? recent.slice(0, -1) : recent;
  });
  const memories = await foldHistory(
    model,
    steps.map((taken) => taken.map(({ vector }) => vector)),
  );
  let nextLatent = 0;
  return requests.map((request, at): Situation => {
    const { aims, tokens } = read[at]!;
    const [goalLatent, stateLatent] = [latents[nextLatent++]!, latents[nextLatent++]!];
    return {
      request,
      place: { state: stateLatent.latent, goal: goalLatent.latent, history: memories[at]! },
      tools: tools[at]!,
      aims: aims.map((aim) => ({
        latent: latents[nextLatent++]!.latent,
        list: tools[at]!.length > 0 ? readToolList(aim, tools[at]!) : undefined,
      })),
      taken: steps[at]!,
      proximity: dot(stateLatent.latent, goalLatent.latent) / (stateLatent.magnitude * goalLatent.magnitude),
      tokens,
    };
  });
}

/** A unit vector between two: `share` of the second. */
function blend(first: Float32Array, second: Float32Array, share: number): Float32Array {
  const mixed = first.map((value, i) => (1 - share) * value + share * second[i]!);
  const length = norm(mixed);
  return mixed.map((value) => value / length);
}

/** A step of the history as `next` takes it: a tool of this request, one of the 903, or its own name. */
function vectorOf(
  model: WorldModel,
  name: string,
  tools: readonly Tool[],
  encoded: EncodedText,
): Float32Array {
  const tool = tools.find((one) => one.name === name);
  if (tool) return tool.vector;
  const id = model.table.idOfName(name);
  return id === undefined ? encoded.vector : model.heads.actionVector(id);
}

/** The memory after each list of steps, all lists one step at a time. */
async function foldHistory(
  { heads }: WorldModel,
  lists: readonly (readonly Float32Array[])[],
): Promise<Float32Array[]> {
  const memories = lists.map(() => heads.noHistory);
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let step = 0; step < longest; step++) {
    const going = [...lists.keys()].filter((at) => lists[at]!.length > step);
    const next = await heads.remember(
      going.map((at) => ({ history: memories[at]!, action: lists[at]![step]! })),
    );
    for (const [row, at] of going.entries()) memories[at] = next[row]!;
  }
  return memories;
}
