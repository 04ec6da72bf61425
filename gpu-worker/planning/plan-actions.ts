/**
 * Plans over the 903 actions: proposals of the decoder, of the library and of the goal's parts, the one they agree on most, and
 * how sure each of its steps is.
 */
import { actionIds } from "../world-model/actions.ts";
import type { Recalled } from "../world-model/plan-library.ts";
import { sigmoid } from "../world-model/vectors.ts";
import type { WorldModel } from "../world-model/world-model.ts";
import { type ActionStep, agree, heldBy, proposePlans } from "./proposals.ts";
import { recallFor, type Situation } from "./situation.ts";
import { nameAsProposed, proposeWishes, readWishes, serveWishes } from "./wishes.ts";

/** One plan per situation, at least one step: that nothing is left to do is the action that says so. */
export async function planActions(
  model: WorldModel,
  situations: readonly Situation[],
): Promise<ActionStep[][]> {
  const proposals = await proposePlans(model, situations);
  const recalled = await recallFor(model, situations);
  const { proposals: tuned, wishes: wished } = model.manifest.planning;
  const { recallSharpness, recallWeight, sureness } = tuned;
  const sure = (support: number) => sigmoid(sureness.scale * support + sureness.shift);
  const familiar = recalled.map((episodes) => isFamiliar(model, episodes));
  const read = await readWishes(
    model,
    situations.map((situation, at) => (familiar[at] || situation.taken.length > 0 ? undefined : situation)),
  );
  const held = proposals.map(heldBy);
  const wishes = read.map((list, at) => nameAsProposed(list, held[at]!, wished.unheld));
  return situations.map(({ request: { maxSteps }, taken }, at) => {
    // An episode tells a whole plan: what was done already is no part of what is left.
    const remembered =
      taken.length > 0 ? [] : withSharedAction(model, recalled[at]!, held[at]!, familiar[at]!);
    const { actions, support } = agree([
      ...proposals[at]!,
      ...remembered.map(({ actions, similarity }) => ({
        actions: actions.slice(0, maxSteps),
        weight: recallWeight * Math.exp(recallSharpness * (similarity - 1)),
      })),
      ...proposeWishes(wishes[at]!, maxSteps, wished.weight),
    ]);
    const agreed = actions.map((actionId, step) => ({ actionId, probability: sure(support[step]!) }));
    const said = familiar[at]
      ? agreed
      : agreed.filter(({ actionId }, step) => actions[step - 1] !== actionId);
    const plan = serveWishes(said, wishes[at]!, maxSteps);
    return plan.length > 0 ? plan : [{ actionId: actionIds.end, probability: sure(1) }];
  });
}

/**
 * Episodes with an action that a share of the proposals hold. Short goals lie near each other whatever they ask for ("send an
 * email to Anna", "examine an alarm clock"), and five strangers would outvote all proposals. All episodes count for a familiar
 * goal whose proposals do not agree on any action.
 */
function withSharedAction(
  { manifest }: WorldModel,
  recalled: readonly Recalled[],
  held: ReadonlyMap<number, number>,
  isFamiliar: boolean,
): readonly Recalled[] {
  const { from, agreedFrom } = manifest.planning.proposals.shared;
  if (isFamiliar && Math.max(0, ...held.values()) < agreedFrom) return recalled;
  return recalled.filter(({ actions }) => actions.some((id) => (held.get(id) ?? 0) >= from));
}

/**
 * Whether the library knows goals like this one: then what was done for them tells more than its parts, and an
 * action twice in a row is meant ("walk there, walk on").
 */
const isFamiliar = ({ manifest }: WorldModel, recalled: readonly Recalled[]): boolean =>
  recalled.some(({ similarity }) => similarity >= manifest.planning.familiarFrom);
