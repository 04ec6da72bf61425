/**
 * Plans over the 903 actions: proposals of the decoder and of the library, the one they agree on most, and how sure each
 * of its steps is.
 */
import { actionIds } from "../world-model/actions.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { agree } from "./consensus.ts";
import { proposePlans } from "./proposals.ts";
import { recallFor, type Situation } from "./situation.ts";

export type ActionStep = { actionId: number; probability: number };

/** One plan per situation, at least one step: that nothing is left to do is the action that says so. */
export async function planActions(
  model: WorldModel,
  situations: readonly Situation[],
): Promise<ActionStep[][]> {
  const proposals = await proposePlans(model, situations);
  const recalled = await recallFor(model, situations);
  const { recallSharpness, recallWeight, sureness } = model.manifest.planning.proposals;
  const sure = (support: number) => 1 / (1 + Math.exp(-(sureness.scale * support + sureness.shift)));
  return situations.map(({ request: { maxSteps }, taken }, at) => {
    // An episode tells a whole plan: what was done already is no part of what is left.
    const remembered = taken.length > 0 ? [] : recalled[at]!;
    const { actions, support } = agree([
      ...proposals[at]!,
      ...remembered.map(({ actions, similarity }) => ({
        actions: actions.slice(0, maxSteps),
        weight: recallWeight * Math.exp(recallSharpness * (similarity - 1)),
      })),
    ]);
    if (actions.length === 0) return [{ actionId: actionIds.end, probability: sure(1) }];
    return actions.map((actionId, step) => ({ actionId, probability: sure(support[step]!) }));
  });
}
