/** What a goal forbids among the 903 actions; refused-tools.ts does the same for tools. */
import type { WorldModel } from "../../world-model/world-model.ts";
import { inOneCall } from "../in-one-call.ts";
import { splitGoal, withoutPoliteness } from "../message/goal-text.ts";
import type { Situation } from "../situation.ts";
import { readWish } from "./wishes.ts";

/**
 * For each goal a test whether it forbids an action. A denied part without an object of its own ("don't buy it") forbids all actions of
 * its verb. With an object ("don't buy the tickets") it forbids those of its verb that serve the wish of the part without its
 * denial. Nothing if another part asks for the same by another word: "delete the old files without removing the folder".
 */
export async function readForbidden(
  model: WorldModel,
  goals: readonly Pick<Situation, "goal" | "denied" | "request">[],
): Promise<((actionId: number) => boolean)[]> {
  const { heads, table, lexicon } = model;
  const { wishes } = model.manifest.planning;
  const lists = goals.map(({ goal, denied }) => denied.map(({ vector }) => ({ part: vector, goal })));
  const read = await inOneCall(lists, heads.wishes);
  const openingOf = (text: string) => text.split(/\s+/, 2).join(" ");
  return goals.map(({ denied, request }, at) => {
    const asked = splitGoal(denied.length > 0 ? request.goal : "").flatMap((part, row) =>
      denied.some((one) => one.part === row)
        ? []
        : [lexicon.readName(openingOf(withoutPoliteness(part))).verb],
    );
    const rules = denied.map(({ text, verbs, isOpen, isRetraction }, row) => {
      const wish = readWish(table, read[at]![row]!, wishes.from, wishes);
      const known = verbs.find((one) => lexicon.readName(one).verb !== undefined);
      const words = openingOf(text);
      const { verb } = lexicon.readName(known === undefined ? words : words.replace(/^\p{L}+/u, known));
      if (verb === undefined || (!isRetraction && asked.includes(verb))) return () => false;
      return (id: number) => {
        const action = table.actions[id]!;
        if (isOpen && action.verb === verb) return true;
        return action.name.split("_").includes(verb) && (wish?.isServedBy(id) ?? false);
      };
    });
    return (id) => rules.some((forbids) => forbids(id));
  });
}

/** The plans without forbidden actions. Plans that become empty are removed, unless all do. */
export function dropForbidden<Plan extends { actions: readonly number[] }>(
  plans: readonly Plan[],
  isForbidden: (actionId: number) => boolean,
): Plan[] {
  const allowed = plans.map((plan) => {
    const actions = plan.actions.filter((id) => !isForbidden(id));
    return actions.length === plan.actions.length ? plan : { ...plan, actions };
  });
  const left = allowed.filter((plan, at) => plan.actions.length > 0 || plans[at]!.actions.length === 0);
  return left.length > 0 ? left : allowed;
}
