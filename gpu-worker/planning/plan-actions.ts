/**
 * Plans over the 903 actions: the decoder's proposals, the one they agree on most, and how sure each of its steps is.
 */
import { actionIds } from "../world-model/actions.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { agree } from "./consensus.ts";
import { proposePlans } from "./proposals.ts";
import type { Situation } from "./situation.ts";

export type ActionStep = { actionId: number; probability: number };

/** One plan per situation, at least one step: that nothing is left to do is the action that says so. */
export async function planActions(
  model: WorldModel,
  situations: readonly Situation[],
): Promise<ActionStep[][]> {
  const proposals = await proposePlans(model, situations);
  const { sureness } = model.manifest.planning.proposals;
  const sure = (support: number) => 1 / (1 + Math.exp(-(sureness.scale * support + sureness.shift)));
  return proposals.map((proposed) => {
    const { actions, support } = agree(proposed);
    if (actions.length === 0) return [{ actionId: actionIds.end, probability: sure(1) }];
    return actions.map((actionId, step) => ({ actionId, probability: sure(support[step]!) }));
  });
}
