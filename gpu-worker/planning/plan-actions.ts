/**
 * Plans over the 903 actions: proposals of the decoder and of the library, the one they agree on most, and how sure each
 * of its steps is.
 */
import { actionIds } from "../world-model/actions.ts";
import type { Recalled } from "../world-model/plan-library.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { type ActionStep, agree, type Proposal } from "./consensus.ts";
import { proposePlans } from "./proposals.ts";
import { recallFor, type Situation } from "./situation.ts";
import { readWishes, serveWishes } from "./wishes.ts";

/** One plan per situation, at least one step: that nothing is left to do is the action that says so. */
export async function planActions(
  model: WorldModel,
  situations: readonly Situation[],
): Promise<ActionStep[][]> {
  const proposals = await proposePlans(model, situations);
  const recalled = await recallFor(model, situations);
  const { leastShared, recallSharpness, recallWeight, sureness } = model.manifest.planning.proposals;
  const sure = (support: number) => 1 / (1 + Math.exp(-(sureness.scale * support + sureness.shift)));
  const asking = situations.map((situation, at) => partsToServe(model, situation, recalled[at]!));
  const wishes = await readWishes(model, asking.flat());
  return situations.map(({ request: { maxSteps }, taken }, at) => {
    // An episode tells a whole plan: what was done already is no part of what is left.
    const remembered = taken.length > 0 ? [] : withSharedAction(recalled[at]!, proposals[at]!, leastShared);
    const { actions, support } = agree([
      ...proposals[at]!,
      ...remembered.map(({ actions, similarity }) => ({
        actions: actions.slice(0, maxSteps),
        weight: recallWeight * Math.exp(recallSharpness * (similarity - 1)),
      })),
    ]);
    const agreed = actions.map((actionId, step) => ({ actionId, probability: sure(support[step]!) }));
    const plan = serveWishes(agreed, wishes.splice(0, asking[at]!.length), maxSteps);
    return plan.length > 0 ? plan : [{ actionId: actionIds.end, probability: sure(1) }];
  });
}

/**
 * Episodes with an action that `leastShared` of the proposals hold. Short goals lie near each other whatever they ask for ("send
 * an email to Anna", "examine an alarm clock"), and five strangers would outvote all proposals.
 */
function withSharedAction(
  recalled: readonly Recalled[],
  proposals: readonly Proposal[],
  leastShared: number,
): Recalled[] {
  const held = new Map<number, number>();
  for (const { actions, weight } of proposals)
    for (const id of new Set(actions)) held.set(id, (held.get(id) ?? 0) + weight);
  return recalled.filter(({ actions }) => actions.some((id) => (held.get(id) ?? 0) >= leastShared));
}

/** Parts of a goal that are read alone: of a kind of goal that the library knows, what was done for others tells more. */
function partsToServe(
  model: WorldModel,
  { parts, taken }: Situation,
  recalled: readonly Recalled[],
): readonly Float32Array[] {
  const nearest = Math.max(-1, ...recalled.map(({ similarity }) => similarity));
  return taken.length > 0 || nearest >= model.manifest.planning.wishes.unlessLike ? [] : parts;
}
