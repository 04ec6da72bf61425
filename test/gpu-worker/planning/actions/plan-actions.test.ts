// Plans over the 903 from a decoder that always writes the same and a library of one's own.
import { describe, expect, it } from "vitest";
import { planActions } from "../../../../gpu-worker/planning/actions/plan-actions.ts";
import { readSituations } from "../../../../gpu-worker/planning/situation.ts";
import { actionIds } from "../../../../gpu-worker/world-model/actions.ts";
import type { Recalled } from "../../../../gpu-worker/world-model/plan-library.ts";
import { actionCount, PlanRequest } from "../../../../shared/planning.ts";
import { createMadeUpModel } from "../../support/made-up-model.ts";

const plan = async (
  written: readonly number[],
  recalled: readonly Recalled[],
  rest: Partial<PlanRequest> = {},
  wish?: number,
) => {
  const decide = (before: readonly number[]) => written[before.length] ?? actionIds.end;
  const { model } = createMadeUpModel(() => [], decide, recalled, wish);
  const request = PlanRequest.parse({
    size: "base",
    goal: "Buy a red lamp",
    state: "",
    maxSteps: 10,
    ...rest,
  });
  const [steps] = await planActions(model, await readSituations(model, [request]));
  return steps!;
};
const idsOf = (steps: readonly { actionId: number }[]) => steps.map(({ actionId }) => actionId);
/** Five of similarity 1 weigh 2.5 beside the samples' 1. */
const five = (actions: readonly number[], similarity = 1) =>
  Array.from({ length: 5 }, () => ({ actions, similarity }));

describe("a plan over the actions", () => {
  it("is the decoder's where nothing is remembered", async () => {
    expect(idsOf(await plan([30, 57], []))).toEqual([30, 57]);
  });

  it("is what was done for goals like it where they outweigh the decoder", async () => {
    expect(idsOf(await plan([30], five([30, 41])))).toEqual([30, 41]);
    expect(idsOf(await plan([30], five([30, 41], -1)))).toEqual([30]);
  });

  it("is the decoder's where it is sure of what was never done for goals like it", async () => {
    expect(idsOf(await plan([30], five([40, 41], 0.8)))).toEqual([30]);
    expect(idsOf(await plan([30], five([40, 41])))).toEqual([30]);
  });

  it("is what was done for goals of a known kind where the proposals agree on no action", async () => {
    const { model } = createMadeUpModel(
      () => [],
      (before) => [30][before.length] ?? actionIds.end,
      five([40, 41]),
    );
    const { planning } = model.manifest;
    // All proposals hold 30; a share that none can reach stands for proposals that differ.
    const shared = { ...planning.proposals.shared, agreedFrom: 1.01 };
    const tuned = { ...planning, proposals: { ...planning.proposals, shared } };
    const differing = { ...model, manifest: { ...model.manifest, planning: tuned } };
    const request = PlanRequest.parse({ size: "base", goal: "Buy a red lamp", state: "" });
    const [steps] = await planActions(differing, await readSituations(differing, [request]));
    expect(idsOf(steps!)).toEqual([40, 41]);
  });

  it("names an action twice in a row only for goals of a kind that is known", async () => {
    expect(idsOf(await plan([30, 30, 41, 30], []))).toEqual([30, 41, 30]);
    expect(idsOf(await plan([30, 30, 41, 30], five([30, 30, 41, 30])))).toEqual([30, 30, 41, 30]);
  });

  it("goes on as episodes did after as many steps, unless they were over by then", async () => {
    const history = [{ action: "search", observation: "two lamps" }];
    expect(idsOf(await plan([30], five([42, 30, 41]), { history }))).toEqual([30, 41]);
  });

  it("goes on as episodes did where a step failed and was tried again, however often", async () => {
    const failed = { action: "search", observation: "Error: the shop does not answer" };
    const history = [failed, failed, { action: "search", observation: "two lamps" }];
    expect(idsOf(await plan([30], five([42, 30, 41]), { history }))).toEqual([30, 41]);
  });

  it("is never longer than allowed, whatever was done then", async () => {
    expect(idsOf(await plan([30], five([30, 41, 42, 43]), { maxSteps: 2 }))).toEqual([30, 41]);
  });

  it("is as sure of a step as the proposals agree on it", async () => {
    const [alone] = await plan([30, 57], []);
    const [shared, other] = await plan([30, 57], [{ actions: [30, 58], similarity: 1 }]);
    expect(alone!.probability).toBeCloseTo(1 / (1 + Math.exp(-2)), 6);
    expect(shared!.probability).toBeCloseTo(alone!.probability, 6);
    expect(other!.probability).toBeLessThan(shared!.probability);
  });

  describe("leaves out what the goal forbids", () => {
    const { table } = createMadeUpModel(() => []).model;
    const [draft, send, book] = ["write_email", "send_email", "book_hotel"].map(
      (name) => table.idOfName(name)!,
    );

    it("in what the decoder writes and in what is remembered", async () => {
      const goal = "Draft a letter to the landlord, but do not send it";
      expect(idsOf(await plan([draft!, send!], [], { goal }))).toEqual([draft]);
      expect(idsOf(await plan([draft!], five([draft!, send!]), { goal }))).toEqual([draft]);
      expect(idsOf(await plan([draft!, send!], [], { goal: goal.replace("do not ", "then ") }))).toEqual([
        draft,
        send,
      ]);
    });

    it("also where nothing is left then", async () => {
      expect(idsOf(await plan([send!], [], { goal: "Please don't send it" }))).toEqual([actionIds.end]);
    });

    it("but no other actions of a verb that is denied for one thing", async () => {
      const goal = "Arrange the room in Prague, don't book a flight";
      expect(idsOf(await plan([book!], [], { goal }))).toEqual([book]);
    });

    it("but not what another part asks for by another word", async () => {
      const [remove] = [table.idOfName("delete_file")!];
      expect(idsOf(await plan([remove], [], { goal: "Delete the old files without removing them" }))).toEqual(
        [remove],
      );
      expect(idsOf(await plan([remove], [], { goal: "Copy the old files without removing them" }))).toEqual([
        actionIds.end,
      ]);
    });
  });

  describe("reads its parts alone", () => {
    const goal = "Find a lamp for the kitchen, and then write to Anna";

    it("and does what a plain command asks for, whatever the decoder would write", async () => {
      expect(idsOf(await plan([30, 57], [], {}, 41))).toEqual([41]);
    });

    it("and adds what no step serves behind the steps of other parts", async () => {
      expect(idsOf(await plan([30, 57], [], { goal }, 41))).toEqual([30, 41, 57]);
    });

    it("but not for a goal of a kind that is known, nor for one that was begun", async () => {
      const history = [{ action: "search", observation: "two lamps" }];
      expect(idsOf(await plan([30, 57], five([30, 57]), {}, 41))).toEqual([30, 57]);
      expect(idsOf(await plan([30, 57], [], { history }, 41))).toEqual([30, 57]);
    });
  });

  it("names an action once for one wish, alone or with its object", async () => {
    const { table } = createMadeUpModel(() => []).model;
    const [off, light] = ["turn_off", "turn_off_light"].map((name) => table.idOfName(name)!);
    const { model } = createMadeUpModel(
      () => [],
      (before) => [off!, 57, light!][before.length] ?? actionIds.end,
    );
    const [dark, other] = [new Float32Array(actionCount + 1), new Float32Array(actionCount + 1)];
    dark.set([0.5], off!);
    dark.set([0.3], light!);
    other.set([0.9], 57);
    const heads = { ...model.heads, wishes: async () => [dark, other] };
    const asking = { ...model, heads };
    const request = PlanRequest.parse({
      size: "base",
      goal: "Make it dark in here, and then write to Anna",
      state: "",
    });
    const [steps] = await planActions(asking, await readSituations(asking, [request]));
    expect(idsOf(steps!)).toEqual([off, 57]);
  });

  describe("keeps what the goal asks for", () => {
    const { table } = createMadeUpModel(() => []).model;
    const [look, remove, send] = ["search_product", "delete_file", "send_email"].map(
      (name) => table.idOfName(name)!,
    );

    it("and leaves out what a part only asks about", async () => {
      const goal = "Which lamp is brighter? Tell me how to delete a file";
      expect(idsOf(await plan([look!, remove!], [], { goal }))).toEqual([look]);
      expect(idsOf(await plan([look!, remove!], [], { goal: goal.replace("Tell me how to ", "") }))).toEqual([
        look,
        remove,
      ]);
    });

    it("once, where only what was left out stood between", async () => {
      const goal = "Which lamp is brighter? Tell me how to delete a file";
      expect(idsOf(await plan([look!, remove!, look!], [], { goal }))).toEqual([look]);
    });

    it("from the first step on that it asks for, or what all look for before it, and doubts the rest after it", async () => {
      const search = table.idOfName("search")!;
      const written = [search, send!, look!, remove!];
      const { model } = createMadeUpModel(
        () => [],
        (before) => written[before.length] ?? actionIds.end,
      );
      const chances = Float32Array.from({ length: actionCount + 1 }, (_, id) => (id === look ? 0.9 : 0));
      const heads = { ...model.heads, wishes: async (parts: readonly unknown[]) => parts.map(() => chances) };
      const goal = "Find me a red lamp, then look for a blue one";
      const request = PlanRequest.parse({ size: "base", goal, state: "" });
      const { planning } = model.manifest;
      const planWith = async (agreedFrom: number) => {
        const tuned = { ...planning, wishes: { ...planning.wishes, agreedFrom } };
        const asking = { ...model, heads, manifest: { ...model.manifest, planning: tuned } };
        const [steps] = await planActions(asking, await readSituations(asking, [request]));
        return steps!;
      };
      const { unaskedTrust } = planning.wishes;
      for (const [agreedFrom, expected] of [
        [1, [look, remove]],
        [0.5, [search, look, remove]],
      ] as const) {
        const steps = await planWith(agreedFrom);
        expect(idsOf(steps)).toEqual(expected);
        const isSure = steps.map(({ probability }) => probability > unaskedTrust);
        expect(isSure).toEqual(expected.map((id) => id !== remove));
      }
    });

    it("doubted unless proposals and wishes hold it together", async () => {
      const goal = "Find me a red lamp";
      const stepOf = async (wish: number, decided: number, both: number) => {
        const { model } = createMadeUpModel(
          () => [],
          (before) => (before.length === 0 ? decided : actionIds.end),
        );
        const chances = Float32Array.from({ length: actionCount + 1 }, (_, id) => (id === look ? wish : 0));
        const heads = {
          ...model.heads,
          wishes: async (parts: readonly unknown[]) => parts.map(() => chances),
        };
        const { planning } = model.manifest;
        const wishes = { ...planning.wishes, backedFrom: { wish: 0.1, both }, wholeFrom: 0 };
        const told = { ...model, heads, manifest: { ...model.manifest, planning: { ...planning, wishes } } };
        const request = PlanRequest.parse({ size: "base", goal, state: "", maxSteps: 1 });
        const [steps] = await planActions(told, await readSituations(told, [request]));
        return steps![0]!;
      };
      const sure = await stepOf(0.4, look!, 0);
      expect(sure).not.toHaveProperty("isDoubted");
      expect(await stepOf(0.4, look!, 1.3)).toEqual(sure);
      expect(await stepOf(0.4, look!, 1.5)).toEqual({ ...sure, isDoubted: true });
      expect(await stepOf(0.05, look!, 0)).toMatchObject({ isDoubted: true });
    });

    it("and the way there, for which nobody asks", async () => {
      const [go, open] = ["navigate_location", "open_page"].map((name) => table.idOfName(name)!);
      expect([go, open].map((id) => table.actions[id!]!.effect)).toEqual(["move", "move"]);
      const goal = "Which lamp is brighter? Tell me how to delete a file";
      expect(idsOf(await plan([go!, look!, open!], [], { goal }))).toEqual([go, look, open]);
    });

    it("by the name that the decoder writes, where that serves it, too", async () => {
      const [wide, narrow] = ["search", "search_product"].map((name) => table.idOfName(name)!);
      const { model } = createMadeUpModel(
        () => [],
        (before) => [narrow!][before.length] ?? actionIds.end,
      );
      const chances = new Float32Array(actionCount + 1);
      chances[wide!] = 0.6;
      chances[narrow!] = 0.3;
      const heads = { ...model.heads, wishes: async (parts: readonly unknown[]) => parts.map(() => chances) };
      const asking = { ...model, heads };
      const request = PlanRequest.parse({ size: "base", goal: "Find me a red lamp", state: "" });
      const [steps] = await planActions(asking, await readSituations(asking, [request]));
      expect(idsOf(steps!)).toEqual([narrow]);
    });

    it("but all of it, unsure, where it asks for nothing of it", async () => {
      const [first] = await plan([remove!, send!], [], { goal: "How do I delete a file and send one?" });
      expect(first!.actionId).toBe(remove);
      expect(first!.probability).toBeLessThan(0.3);
    });
  });

  it("is of no known kind where the goal has one or two words", async () => {
    const known = five([30, 30, 41, 30]);
    expect(idsOf(await plan([30, 30, 41, 30], known, { goal: "dinner ideas" }))).toEqual([30, 41, 30]);
  });

  it("is the end where nothing is left", async () => {
    expect(idsOf(await plan([], []))).toEqual([actionIds.end]);
  });

  it("is the end where the goal forbids all that the decoder writes, whatever one old episode did", async () => {
    const { table } = createMadeUpModel(() => []).model;
    const [send, book] = ["send_email", "book_hotel"].map((name) => table.idOfName(name)!);
    const planFor = async (goal: string) =>
      idsOf(await plan([send!], [{ actions: [book!], similarity: 1 }], { goal }));
    expect(await planFor("Draft a letter to the landlord, then send it")).toEqual([send]);
    expect(await planFor("Draft a letter to the landlord, but do not send it")).toEqual([actionIds.end]);
  });
});
