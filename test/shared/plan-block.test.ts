import { describe, expect, test } from "vitest";
import {
  listActions,
  maxPlanBlockBytes,
  minPlanConfidence,
  readPlanBlock,
  writePlanBlock,
} from "../../shared/plan-block.ts";
import type { PlanResponse } from "../../shared/planning.ts";

type Facts = {
  actions: string[];
  signal?: string;
  confidence?: number;
  probability?: number;
  /** Of each step, for plans whose steps differ. */
  probabilities?: number[];
  likelyTools?: string[];
  abstention?: string;
  /** How many steps at the beginning are doubted, and the probability of the others. */
  doubted?: number;
};

const labelOf = (probability: number) =>
  probability >= 0.6 ? "High" : probability >= 0.3 ? "Medium" : "Low";
const planOf = ({
  actions,
  signal = actions[0] ?? "none",
  confidence = 0.9,
  probability = 0.9,
  probabilities = [],
  doubted = 0,
  ...rest
}: Facts) =>
  ({
    steps: actions.map((actionName, at) => ({
      actionName,
      probability: probabilities[at] ?? probability,
      confidence: labelOf(probabilities[at] ?? probability),
      ...(at < doubted && { isDoubted: true }),
    })),
    brainSignal: { actionType: signal, confidence, ...rest },
  }) as unknown as PlanResponse;
const linesOf = (facts: Facts, toolNames: readonly string[]) =>
  writePlanBlock(planOf(facts), toolNames)?.split("\n").slice(1);

describe("the plan block", () => {
  test("numbers the actions, and is read back as it was meant", () => {
    const text = writePlanBlock(planOf({ actions: ["search", "select"], signal: "web" }), ["mail", "web"])!;
    expect(text.split("\n").slice(1)).toEqual(["1. search", "2. select", "Recommended tool: web"]);
    expect(readPlanBlock(text)).toEqual({ actions: ["search", "select"], tool: "web", likelyTools: [] });
  });

  test("writes each tool under the name that the LLM is given", () => {
    const plan = planOf({
      actions: ["files.read", "files.write"],
      likelyTools: ["files.read", "files.list"],
    });
    const toolNames = ["files.read", "files.write", "files.list"];
    const block = writePlanBlock(plan, toolNames, (name) => name.replace(".", "_"))!;
    expect(block).not.toContain("files.");
    expect(readPlanBlock(block)).toEqual({
      actions: ["files_read", "files_write"],
      tool: "files_read",
      likelyTools: ["files_read", "files_list"],
    });
  });

  test("has as many bytes as are reserved for it at most, letters of other scripts counted as they are sent", () => {
    const blockOf = (name: string) =>
      writePlanBlock(planOf({ actions: [name], signal: "none" }), [name, "none"]);
    const least = new TextEncoder().encode(blockOf("x")!).length;
    const longest = "x".repeat(1 + maxPlanBlockBytes - least);
    expect(new TextEncoder().encode(blockOf(longest)!)).toHaveLength(maxPlanBlockBytes);
    expect(blockOf(`${longest}x`)).toBeUndefined();
    expect(blockOf(`${longest.slice(1)}é`)).toBeUndefined();
  });

  test("names no tool where the caller has none of that name", () => {
    expect(writePlanBlock(planOf({ actions: ["search"] }), ["web"])).not.toContain("tool");
  });

  test.each<[string, Facts]>([
    ["nothing is planned", { actions: [] }],
    ["the plan is to end", { actions: ["end"] }],
    ["the plan begins with the end", { actions: ["end", "search"] }],
    ["no tool is wanted", { actions: ["search"], signal: "none" }],
    ["the best action is to end", { actions: ["search"], signal: "end" }],
    ["the first step is doubtful", { actions: ["search"], probability: minPlanConfidence - 0.01 }],
    ["the signal is doubtful", { actions: ["search"], confidence: minPlanConfidence - 0.01 }],
    ["the first step is called a guess", { actions: ["search"], abstention: "unsure" }],
    ["the confidence is no number", { actions: ["search"], confidence: Number.NaN }],
  ])("is left out where %s", (_why, facts) => {
    expect(writePlanBlock(planOf(facts), ["web"])).toBeUndefined();
  });

  test.each<[what: string, probabilities: number[], told: string[]]>([
    ["all steps up to the first of low confidence", [0.9, 0.4, 0.2, 0.2], ["find", "sort"]],
    ["behind that one a likely step and what follows", [0.9, 0.2, 0.6, 0.4], ["find", "buy", "pay"]],
    ["a likely step between two of low confidence", [0.9, 0.2, 0.9, 0.2], ["find", "buy"]],
    ["a likely step behind two of low confidence", [0.9, 0.2, 0.2, 0.9], ["find", "pay"]],
    ["no likely step without the less likely one before it", [0.9, 0.2, 0.59, 0.9], ["find"]],
  ])("tells %s", (_what, probabilities, told) => {
    const facts = { actions: ["find", "sort", "buy", "pay"], probabilities };
    expect(linesOf(facts, [])).toEqual(told.map((name, at) => `${at + 1}. ${name}`));
  });

  test.each<[what: string, probabilities: number[], told: string[]]>([
    ["the next step", [0.8, 0.75, 0.9, 0.2], ["compare", "book"]],
    ["a later one, behind another of low confidence", [0.8, 0.2, 0.75, 0.9], ["book", "pay"]],
    ["none, where the next one is less likely", [0.8, 0.74, 0.9, 0.9], []],
  ])("begins behind a doubted step with %s", (_what, probabilities, told) => {
    const facts = { actions: ["search", "compare", "book", "pay"], abstention: "unsure", doubted: 1 };
    const lines = told.map((name, at) => `${at + 1}. ${name}`);
    expect(linesOf({ ...facts, probabilities }, []) ?? []).toEqual(lines);
  });

  test("is left out where every step is doubted", () => {
    expect(linesOf({ actions: ["search", "book"], abstention: "unsure", doubted: 2 }, [])).toBeUndefined();
  });

  test("does not send to the end by way of a finished task", () => {
    expect(linesOf({ actions: ["finish_task", "debug"] }, [])).toBeUndefined();
    expect(linesOf({ actions: ["debug", "finish_task"] }, [])).toEqual(["1. debug"]);
  });

  test("names a caller's tool that is called as an ending is, unless the plan ends", () => {
    const named = { actions: ["start", "end"], likelyTools: ["start", "end"] };
    expect(linesOf(named, ["start", "end"])).toEqual([
      "1. start",
      "2. end",
      "Recommended tool: start",
      "Likely tools, if another is needed: start, end",
    ]);
    const ending = { actions: ["end"], signal: "none", abstention: "done" };
    expect(linesOf(ending, ["end", "none"])).toBeUndefined();
    const guess = { ...named, probability: minPlanConfidence - 0.01, abstention: "unsure" };
    expect(linesOf(guess, ["start", "end"])).toEqual(["Likely tools, if another is needed: start, end"]);
  });

  const tools = ["read_file", "grep", "edit_file", "run_tests"];
  const doubt = { actions: ["grep", "edit_file"], probability: 0.3 };

  test("where the first step is doubtful says no more than which tools are likely", () => {
    const text = writePlanBlock(planOf({ ...doubt, likelyTools: ["grep", "read_file"] }), tools)!;
    expect(text).not.toMatch(/^1\.|Recommended/m);
    expect(text).toContain("not sure");
    expect(readPlanBlock(text)).toEqual({ actions: [], likelyTools: ["grep", "read_file"] });
  });

  test.each<[string, Facts, string[]]>([
    [
      "beside the one it recommends",
      { actions: ["grep"], likelyTools: ["grep", "read_file"] },
      ["1. grep", "Recommended tool: grep", "Likely tools, if another is needed: grep, read_file"],
    ],
    [
      "not twice, where the recommended one is all of them",
      { actions: ["grep"], likelyTools: ["grep"] },
      ["1. grep", "Recommended tool: grep"],
    ],
    [
      "a single one of which it is not sure whether it is needed",
      { ...doubt, likelyTools: ["grep"] },
      ["Likely tools, if another is needed: grep"],
    ],
    [
      "none that the caller does not have",
      { ...doubt, likelyTools: ["rm", "grep"] },
      ["Likely tools, if another is needed: grep"],
    ],
  ])("names likely tools: %s", (_name, facts, lines) => {
    expect(linesOf(facts, tools)).toEqual(lines);
  });

  test.each<[string, Facts]>([
    ["an ending comes first", { ...doubt, actions: ["end"], signal: "none", likelyTools: ["grep"] }],
    ["none of them is the caller's", { ...doubt, likelyTools: ["rm"] }],
    ["their names are too long", { ...doubt, likelyTools: tools.map((name) => name.repeat(40)) }],
  ])("names no likely tools where %s", (_why, facts) => {
    const known = [...tools, ...tools.map((name) => name.repeat(40))];
    expect(linesOf(facts, known)).toBeUndefined();
  });

  test("is written at the threshold itself", () => {
    const at = { confidence: minPlanConfidence, probability: minPlanConfidence };
    expect(writePlanBlock(planOf({ actions: ["search"], ...at }), [])).toContain("1. search");
  });

  test("never says that there is an end", () => {
    const plan = planOf({ actions: ["search", "end", "select"] });
    expect(listActions(plan)).toEqual(["search"]);
    expect(writePlanBlock(plan, [])!.split("\n").slice(1)).toEqual(["1. search"]);
  });

  test("is not found in other texts", () => {
    expect(readPlanBlock("a user who writes [svc plan] in the middle")).toBeUndefined();
  });
});
