import { describe, expect, test } from "vitest";
import type { Svc } from "../../edge/console/api/chat-wire.ts";
import { readError } from "../../edge/console/api/read-error.ts";
import {
  cutToCents,
  formatCredits,
  formatDay,
  formatDuration,
  formatMoment,
} from "../../edge/console/components/format.ts";
import type { PlanSwitch } from "../../edge/console/playground/conversation.ts";
import {
  announcePlan,
  describeChange,
  describeStop,
  describeTelling,
  describeVerdict,
  type PlanUse,
  readChosenTool,
  readPlanUse,
  readSteps,
  readTold,
} from "../../edge/console/playground/describe-plan.ts";

describe("an error's sentence", () => {
  test.each([
    [{ error: { message: "No such model.", type: "x", code: "y" } }, "No such model."],
    [{ type: "error", error: { type: "api_error", message: "Broken." } }, "Broken."],
    [{ error: "limit_reached", message: "Three keys are active." }, "Three keys are active."],
    [{ error: { message: "Wrong.", details: ["temperature: too high"] } }, "Wrong. temperature: too high"],
    ["<html>", "The service answered 502 without saying why. Try again in a moment."],
    [null, "The service answered 502 without saying why. Try again in a moment."],
  ])("is found in %o", (body, sentence) => {
    expect(readError(502, body)).toBe(sentence);
  });
});

const svc = {
  action_sequence: ["search_flight", "book_flight", "end"],
  predicted_state_changes: [20.7, 4.9, 0],
  confidence_labels: ["High", "Medium", "High"],
  overall_confidence: 0.9,
  brain_signal: { action_type: "search_flights", confidence: 0.92 },
} satisfies Svc;

describe("a plan in words", () => {
  test("its steps end where nothing is left to do", () => {
    expect(readSteps(svc, [])).toEqual([
      { action: "search_flight", confidence: "High", change: 20.7, changeWord: "major" },
      { action: "book_flight", confidence: "Medium", change: 4.9, changeWord: "minor" },
    ]);
    expect(readSteps({}, [])).toEqual([]);
  });

  test.each([
    [0, "minor"],
    [5, "moderate"],
    [10, "significant"],
    [15, "significant"],
    [15.1, "major"],
    [99, "major"],
  ])("a change of %f is %s, as the bands of shared/bands.ts say", (change, word) => {
    expect(describeChange(change)).toBe(word);
  });

  test("the tool is one of the caller's, or none", () => {
    expect(readChosenTool(svc, ["get_weather", "search_flights"])).toBe("search_flights");
    expect(readChosenTool(svc, ["get_weather"])).toBeUndefined();
  });

  test("it is said whether the LLM was told, and if not why", () => {
    expect(describeTelling(svc, "on", [])).toBe("Told to the LLM after your message.");
    const doubtful = { ...svc, action_sequence: ["a", "b"], confidence_labels: ["High", "Low"] };
    expect(describeTelling(doubtful, "on", [])).toContain("without the steps of low confidence");
    expect(describeTelling(svc, "off", [])).toContain("Kept from the LLM");
    expect(describeTelling({ ...svc, overall_confidence: 0.49 }, "on", [])).toContain("below 50%");
    const disputed = { ...svc, brain_signal: { action_type: "a", confidence: 0.9, abstention: "unsure" } };
    expect(describeTelling(disputed, "on", [])).toContain(
      "two readers disagree on it. The LLM is told later",
    );
    const one = { ...disputed, action_sequence: ["greet_user"] };
    expect(describeTelling(one, "on", [])).toContain("two readers disagree on it. The LLM is told nothing.");
    const likely = { action_type: "a", confidence: 0.3, likely_tools: ["a", "b"] };
    expect(describeTelling({ ...svc, brain_signal: likely }, "on", [])).toContain(
      "which tools are likely: a, b.",
    );
    expect(describeTelling({ ...svc, action_sequence: ["end"] }, "on", [])).toContain("told nothing");
    const abstains = { ...svc, brain_signal: { action_type: "none", confidence: 0.9 } };
    expect(describeTelling(abstains, "on", [])).toContain("told nothing");
  });

  test.each([
    ["done", "The work is done", "Only the answer is left"],
    ["ask_user", "The user has to be asked first", "expect a question"],
    ["no_tool", "No tool is needed, or none fits", "answers by itself"],
  ])(
    "where the model stops with %s it is said why, and that the LLM is told nothing",
    (abstention, words, why) => {
      const stops = {
        action_sequence: ["none"],
        brain_signal: { action_type: "none", confidence: 0.9, abstention },
      };
      expect(describeStop(stops)).toBe(words);
      expect(describeTelling(stops, "on", [])).toContain(why);
      expect(describeTelling(stops, "on", [])).toContain("told nothing");
      expect(announcePlan(stops, []).toLowerCase()).toBe(`plan: ${words.toLowerCase()}.`);
    },
  );

  test.each<[string, string, PlanSwitch, number, PlanUse]>([
    ["a job for every message", "Translate every message of the user into French.", "on", 0, "left-out"],
    ["a job, and tools", "Translate every message of the user into French.", "on", 1, "on"],
    ["a role", "You are a travel agent.", "on", 0, "on"],
    ["a side without the plan", "Translate every message of the user into French.", "off", 0, "off"],
  ])("is told to the LLM, or not: %s", (_what, state, plan, tools, use) => {
    const messages = [
      { role: "system", content: state },
      { role: "user", content: "Book a flight" },
    ] as const;
    expect(readPlanUse(plan, messages, tools)).toBe(use);
    expect(describeTelling(svc, use, []).startsWith("Kept from the LLM")).toBe(use !== "on");
    expect(readTold(svc, [], use) === undefined).toBe(use !== "on");
  });

  test("what the LLM is told is the edge's own text: the sure steps, the tool, or the likely tools", () => {
    const tools = ["search_flights", "book_flight"];
    const sure = { ...svc, action_sequence: [...tools], confidence_labels: ["High", "Low"] };
    expect(readTold(sure, tools, "on")?.split("\n").slice(1)).toEqual([
      "1. search_flights",
      "Recommended tool: search_flights",
    ]);
    expect(readTold(svc, [], "on")?.split("\n").slice(1)).toEqual(["1. search_flight", "2. book_flight"]);
    expect(readTold(sure, tools, "off")).toBeUndefined();
    const guess = {
      action_type: "search_flights",
      confidence: 0.3,
      abstention: "unsure",
      likely_tools: tools,
    };
    expect(
      readTold({ ...sure, brain_signal: guess }, tools, "on")
        ?.split("\n")
        .slice(1),
    ).toEqual(["Likely tools, if another is needed: search_flights, book_flight"]);
    const { likely_tools: _, ...bare } = guess;
    for (const silent of [{}, { ...svc, brain_signal: bare }, { ...svc, overall_confidence: 0.4 }])
      expect(readTold(silent, [], "on")).toBeUndefined();
  });

  test("a tool with the name of an idle action is a step like any other", () => {
    const tools = ["finish_task", "end"];
    const signal = { action_type: "finish_task", confidence: 0.9 };
    const plan = { ...svc, action_sequence: tools, brain_signal: signal };
    expect(readSteps(plan, tools).map(({ action }) => action)).toEqual(tools);
    expect(describeTelling(plan, "on", tools)).toBe("Told to the LLM after your message.");
    expect(readTold(plan, tools, "on")).toContain("1. finish_task\n2. end");
    expect(announcePlan(plan, tools)).toContain("finish task, then end");
  });

  test("a guess is neither a chosen tool nor a stop", () => {
    const guess = { action_type: "search_flights", confidence: 0.2, abstention: "unsure" };
    const unsure = { ...svc, brain_signal: guess };
    expect(readChosenTool(unsure, ["search_flights"])).toBeUndefined();
    expect(describeStop(unsure)).toBeUndefined();
    expect(describeStop({ ...svc, brain_signal: { ...guess, abstention: "constructor" } })).toBeUndefined();
  });

  test.each<[string | undefined, Svc]>([
    [undefined, svc],
    ["Unsure of the first step", { ...svc, brain_signal: { ...svc.brain_signal, abstention: "unsure" } }],
    ["The work is done", { ...svc, brain_signal: { ...svc.brain_signal, abstention: "done" } }],
    ["No step is needed", { ...svc, action_sequence: ["finish_task"] }],
  ])("what stands above the steps is %s", (verdict, plan) => {
    expect(describeVerdict(plan, [])).toBe(verdict);
  });

  test("it is announced in one sentence", () => {
    expect(announcePlan(svc, [])).toBe("Plan of 2 steps: search flight, then book flight. Confidence High.");
    expect(announcePlan({}, [])).toBe("Plan: no step needed.");
    const guess = { ...svc.brain_signal, abstention: "unsure" };
    expect(announcePlan({ ...svc, brain_signal: guess }, [])).toContain(". Unsure of the first step.");
  });
});

describe("numbers", () => {
  test.each([
    [0, "0"],
    [0.000034, "0.000034"],
    [10, "10.00"],
    [9.999966, "9.999966"],
    [1234.5, "1,234.50"],
  ])("%d credits are %s", (credits, text) => {
    expect(formatCredits(credits)).toBe(text);
  });

  test("a balance is cut to cents from one credit on, and never to a cent too little", () => {
    for (let cents = 100; cents < 10_000; cents++) expect(cutToCents(cents / 100)).toBe(cents / 100);
    expect([0.000_001, 1.999_999].map(cutToCents)).toEqual([0.000_001, 1.99]);
  });

  test("durations are read at a glance", () => {
    expect([4.4, 999.4, 1_000, 12_345].map(formatDuration)).toEqual(["4 ms", "999 ms", "1.0 s", "12.3 s"]);
  });

  test("a moment that cannot be read is shown as it came, a missing one as never", () => {
    expect(formatMoment(null)).toBe("never");
    expect(formatMoment("soon")).toBe("soon");
    expect(formatMoment("2026-11-22T10:00:00Z")).toContain("2026");
    expect(formatDay("2026-11-22T12:00:00Z")).toBe("Nov 22, 2026");
    expect(formatDay(null)).toBe("never");
  });
});
