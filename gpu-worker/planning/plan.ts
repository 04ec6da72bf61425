/**
 * Makes the plans of a batch: over the caller's tools if there are any, else over the 903 actions. The world model then predicts what
 * each step changes, and whether the first one brings the goal nearer.
 */
import type {
  Abstention,
  ConfidenceLabel,
  PlannedStep,
  PlanRequest,
  PlanResponse,
} from "../../shared/planning.ts";
import { actionIds } from "../world-model/actions.ts";
import type { Latent, Place } from "../world-model/heads.ts";
import type { PlanningConfig } from "../world-model/planning-config.ts";
import type { Ending } from "../world-model/session-reader.ts";
import { dot, norm } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { followActions } from "./actions/outcome.ts";
import { choosePlan, gatherProposals } from "./actions/plan-actions.ts";
import type { ActionStep } from "./actions/proposals.ts";
import { type Look, lookAhead, type Walk } from "./actions/walk.ts";
import { inOneCall } from "./in-one-call.ts";
import { readSituations, type Situation } from "./situation.ts";
import { planInOrder, type ToolPlan } from "./tools/plan-tools.ts";
import { readSessions, type Session } from "./tools/read-sessions.ts";
import { likelyTools, maxListed } from "./tools/tool-chances.ts";
import { isAside, isUnasked } from "./tools/unasked-tools.ts";

/** One answer per request, in order; `timings` are left 0. */
export async function planRequests(
  model: WorldModel,
  requests: readonly PlanRequest[],
): Promise<PlanResponse[]> {
  const answers = new Array<PlanResponse>(requests.length);
  const places = Map.groupBy(requests.keys(), (at) => (requests[at]!.tools.length > 0 ? "tools" : "actions"));
  for (const [kind, chosen] of places) {
    const plans = await planOver[kind](
      model,
      chosen.map((at) => requests[at]!),
    );
    for (const [row, answer] of plans.entries()) answers[chosen[row]!] = answer;
  }
  return answers;
}

/** How plans are made for requests of one kind, with or without tools. */
const planOver = { tools: planOverTools, actions: planOverActions };

async function planOverActions(model: WorldModel, requests: readonly PlanRequest[]): Promise<PlanResponse[]> {
  const situations = await readSituations(model, requests);
  const proposed = await gatherProposals(model, situations);
  const plans = situations.map((situation, at) => choosePlan(model, situation, proposed[at]!));
  const walks = await followActions(
    model,
    situations.map((situation, at) => ({
      ...situation,
      proposed: proposed[at]!,
      ids: plans[at]!.map(({ actionId }) => actionId),
      chances: plans[at]!.map(({ probability }) => probability),
    })),
  );
  return situations.map((situation, at) => describeActions(model, situation, plans[at]!, walks[at]!));
}

function describeActions(
  model: WorldModel,
  situation: Situation,
  chosen: readonly ActionStep[],
  { steps: walked, firstChoice, reached }: Walk,
): PlanResponse {
  // Once steps were taken, the value head decides whether the goal is reached: the decoder saw few finished plans in training.
  const isReached = situation.taken.length > 0 && reached.before >= model.manifest.planning.reachedFrom;
  const plan = isReached ? [{ actionId: actionIds.end, probability: reached.before }] : chosen;
  const steps = plan.map(({ actionId, probability, isDoubted }, row) => ({
    ...describeStep(model, { actionId, probability, stateChange: isReached ? 0 : walked[row]!.change }),
    ...(isDoubted && { isDoubted }),
  }));
  const [first] = plan as readonly [ActionStep];
  const isDone = first.actionId === actionIds.end;
  const isUnsure = first.isDoubted || first.probability < model.manifest.planning.session.unsureBelow;
  return {
    steps,
    overallConfidence: first.probability,
    brainSignal: {
      actionType: isDone ? "none" : steps[0]!.actionName,
      confidence: first.probability,
      ...(isUnsure && { abstention: "unsure" as const }),
      planAhead: steps.slice(1, 3).map(({ actionName }) => actionName),
      simulationConfirmed: !isDone && firstChoice === first.actionId && reached.afterFirst > reached.before,
      goalProximity: situation.proximity,
    },
    goalReached: isDone && !isReached ? first.probability : reached.before,
    tokens: situation.tokens,
    timings: { queueMs: 0, modelMs: 0 },
  };
}

async function planOverTools(model: WorldModel, requests: readonly PlanRequest[]): Promise<PlanResponse[]> {
  const sessions = await readSessions(model, requests);
  const plans = await planInOrder(model, sessions);
  const [neutral] = await model.encoder.encode([
    { text: model.manifest.planning.neutralState, keep: "end", remember: "lasting" },
  ]);
  const latents = await inOneCall(
    sessions.map(({ asked, seen }) => [asked[0]!, seen ?? neutral!.vector]),
    model.heads.latents,
  );
  const places = latents.map((pair): Place => {
    const [goal, state] = pair as [Latent, Latent];
    return { goal: goal.latent, state: state.latent, history: model.heads.noHistory };
  });
  const looks = await lookAhead(
    model,
    sessions.map(({ tools }, at) => ({
      place: places[at]!,
      moves: plans[at]!.steps.map(({ tool }) => ({ id: actionIds.unk, vector: tools[tool]!.vector })),
    })),
  );
  return sessions.map((session, at) => {
    const { goal, state } = places[at]!;
    const proximity = dot(goal, state) / (norm(goal) * norm(state));
    return describeTools(model, session, plans[at]!, looks[at]!, proximity);
  });
}

/** For a plan that stops before any tool: the name of its only step, and the abstention that is reported. */
const endingNames: Record<Ending, { step: string; abstention: Abstention }> = {
  done: { step: "end", abstention: "done" },
  ask: { step: "ask_user", abstention: "ask_user" },
  noTool: { step: "none", abstention: "no_tool" },
};

function describeTools(
  model: WorldModel,
  { tools, tokens, isForeign, reading }: Session,
  plan: ToolPlan,
  { before, atOnce, after }: Look,
  goalProximity: number,
): PlanResponse {
  const { foreignTrust, wishes, session } = model.manifest.planning;
  const { unsureBelow, likely } = session;
  const trust = isForeign ? foreignTrust.tools : 1;
  const steps = plan.steps.map(({ tool, probability: read }, row) => {
    const { name, actionId } = tools[tool]!;
    const isDoubtful = row > 0 && isAside(reading, tools, tool, likely.askedFrom);
    const probability = read * trust * (isDoubtful ? wishes.unaskedTrust : 1);
    // Each step's change as if it were the first: predicted in sequence, nearly all of it falls on one step, the one that reaches the goal.
    const step = { actionId: actionId(), probability, stateChange: atOnce[row]!.change };
    return { ...describeStep(model, step), actionName: name };
  });
  const common = { tokens, goalReached: plan.endings.done, timings: { queueMs: 0, modelMs: 0 } };
  if (plan.stops) return { ...common, ...describeStop(model, plan.endings, { trust, goalProximity }) };
  const [first] = steps as [PlannedStep];
  const isUnsure = first.probability < unsureBelow;
  const unasked = (tool: number) => isUnasked(reading, tools, tool, likely.askedFrom);
  const listed = isForeign ? [] : likelyTools(plan.tools, likely, unasked).map((tool) => tools[tool]!.name);
  return {
    ...common,
    steps,
    overallConfidence: first.probability,
    brainSignal: {
      actionType: first.actionName,
      confidence: first.probability,
      ...(isUnsure && { abstention: "unsure" as const }),
      ...(listed.length > 0 && {
        likelyTools: withFirst(listed, first.actionName, maxListed(tools.length, likely)),
      }),
      planAhead: steps.slice(1, 3).map(({ actionName }) => actionName),
      simulationConfirmed: after.reached > before.reached,
      goalProximity,
    },
  };
}

/** The only step of a plan that stops before any tool, as likely as its endings together, times `trust`. */
function describeStop(
  model: WorldModel,
  endings: ToolPlan["endings"],
  { trust, goalProximity }: { trust: number; goalProximity: number },
): Pick<PlanResponse, "steps" | "overallConfidence" | "brainSignal"> {
  const probability = (endings.done + endings.ask + endings.noTool) * trust;
  const { step, abstention } = endingNames[likeliest(endings)];
  const actionId = model.table.idOfName(step) ?? actionIds.noop;
  return {
    steps: [{ ...describeStep(model, { actionId, probability, stateChange: 0 }), actionName: step }],
    overallConfidence: probability,
    brainSignal: {
      actionType: "none",
      confidence: probability,
      abstention,
      planAhead: [],
      simulationConfirmed: false,
      goalProximity,
    },
  };
}

/**
 * The list with the plan's first tool at its head, still of `maxCount` tools at most. A plan in the order of the message need not begin
 * with the likeliest tool.
 */
const withFirst = (listed: readonly string[], first: string, maxCount: number): string[] =>
  [...new Set([first, ...listed])].slice(0, maxCount);

const likeliest = (chances: Record<Ending, number>): Ending =>
  (Object.keys(chances) as Ending[]).reduce((best, name) => (chances[name] > chances[best] ? name : best));

function describeStep(
  model: WorldModel,
  step: Pick<PlannedStep, "actionId" | "probability" | "stateChange">,
): PlannedStep {
  const { name, category } = model.table.actions[step.actionId]!;
  const confidence = confidenceLabel(step.probability, model.manifest.planning.confidence);
  return { ...step, actionName: name, category, confidence };
}

/** The label of a calibrated probability. */
export function confidenceLabel(
  probability: number,
  { high, medium }: PlanningConfig["confidence"],
): ConfidenceLabel {
  if (probability >= high) return "High";
  return probability >= medium ? "Medium" : "Low";
}
