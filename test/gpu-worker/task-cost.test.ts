import { describe, expect, it } from "vitest";
import { createFairQueue } from "../../gpu-worker/fair-queue.ts";
import { maxTokensAhead, type PlanTask } from "../../gpu-worker/planning/read-ahead.ts";
import { maxTurns } from "../../gpu-worker/planning/session/events.ts";
import { createWeigher, estimateTokens, type Weigher } from "../../gpu-worker/task-cost.ts";
import { textCacheSizes } from "../../gpu-worker/world-model/encoder.ts";
import type { PlanRequest } from "../../shared/planning.ts";
import { planRequest } from "./support/worker.ts";

const tools = Array.from({ length: 30 }, (_, at) => ({
  name: `tool_${at}`,
  description: `what tool ${at} is for, in as many words as tools are given`,
}));
const newWeigher = () => createWeigher(() => 0);
const weighPlan = (weigh: Weigher, goal: string, rest: Partial<PlanRequest> = {}, share = "a") =>
  weigh({ name: "plan", request: planRequest(goal, rest) }, share);

describe("what a task counts for in its account's share", () => {
  it("is small for tools that were seen before, whoever sent them", () => {
    const weigh = newWeigher();
    const first = weighPlan(weigh, "one", { tools });
    expect(first).toBeGreaterThan(600);
    expect(weighPlan(weigh, "two", { tools }, "b")).toBeLessThan(first / 4);
  });

  it("is never that of its letters alone: a plan runs the same networks for each", () => {
    const weigh = newWeigher();
    const letter = { name: "plan", request: planRequest("a") } as const;
    expect(weigh(letter, "a")).toBeGreaterThan(5 * estimateTokens(letter));
    const rollout = (actions: number[]) =>
      newWeigher()({ name: "rollout", request: { size: "base", goal: "b", maxSteps: 1, actions } }, "a");
    expect(rollout(Array.from({ length: 50 }, () => 20))).toBeGreaterThan(rollout([20]));
  });

  it("grows with the number of tools, also of those that were seen before", () => {
    const weigh = newWeigher();
    weighPlan(weigh, "g", { tools });
    const few = weighPlan(weigh, "g", { tools: tools.slice(0, 1) });
    expect(weighPlan(weigh, "g", { tools })).toBeGreaterThan(few);
  });

  it("counts what another account has said as new", () => {
    const weigh = newWeigher();
    const turns = [
      { kind: "user" as const, text: "where is the parcel that I have sent to my aunt in Oslo" },
    ];
    const first = weighPlan(weigh, "g", { turns });
    expect(weighPlan(weigh, "g", { turns })).toBeLessThan(first);
    expect(weighPlan(weigh, "g", { turns }, "b")).toBe(first);
  });

  it("is small for a long system prompt that came before, with tools or without", () => {
    const prompt = "You help the customers of a shop that sells lamps. ".repeat(80);
    for (const rest of [{ tools }, {}]) {
      const weigh = newWeigher();
      weighPlan(weigh, "one", rest);
      const short = weighPlan(weigh, "one", rest);
      const first = weighPlan(weigh, "one", { ...rest, state: prompt });
      expect(first).toBeGreaterThan(short + 50);
      expect(weighPlan(weigh, "one", { ...rest, state: prompt })).toBe(short);
      expect(weighPlan(weigh, "one", { ...rest, state: `${prompt}!` })).toBe(first);
    }
  });

  it("counts no more of a system prompt and of turns than is read of them", () => {
    const long = "x".repeat(4_000);
    const added = (rest: Partial<PlanRequest>, more: Partial<PlanRequest>) =>
      weighPlan(newWeigher(), "g", { ...rest, ...more }) - weighPlan(newWeigher(), "g", rest);
    expect(added({ tools }, { state: long })).toBeLessThanOrEqual(64);
    expect(added({}, { state: long })).toBeLessThanOrEqual(96);
    expect(added({ tools }, { turns: [{ kind: "result", text: long }] })).toBeLessThanOrEqual(64);
  });

  it("forgets the text that was unused longest", () => {
    const weigh = newWeigher();
    weighPlan(weigh, "the first of them");
    const known = weighPlan(weigh, "the first of them");
    for (let at = 0; at < 5_000; at++) weighPlan(weigh, `goal ${at}`);
    expect(weighPlan(weigh, "the first of them")).toBeGreaterThan(known);
  });

  it("counts what comes round in a cycle larger than the account's share as new, beside others who fill the rest", () => {
    const weigh = newWeigher();
    const turnOf = (at: number) => [
      { kind: "result" as const, text: `entry ${at} of what was found in the archive` },
    ];
    const weighTurn = (at: number, share: string) =>
      weighPlan(weigh, "g", { tools: tools.slice(0, 1), turns: turnOf(at) }, share);
    const places = textCacheSizes.session / 2;
    for (let at = 0; at < places; at++) weighTurn(at, `other ${at % 20}`);
    const cycle = () => Array.from({ length: places / 4 }, (_, at) => weighTurn(at, "greedy"));
    const first = cycle().slice(1);
    expect(cycle().slice(1)).toEqual(first);
  });

  it("counts long goals that come round in a cycle as new, since the encoder has forgotten them by then", () => {
    /** Eight parts, each another in each goal. */
    const goalOf = (at: number) =>
      Array.from(
        { length: 8 },
        (_, part) => `please find file ${at}/${part} of the third quarter in Lyon.`,
      ).join(" ");
    for (const [cache, rest] of [
      ["passing", {}],
      ["session", { tools }],
    ] as const) {
      const weigh = newWeigher();
      // Each goal is kept with its eight parts.
      const goals = Array.from({ length: textCacheSizes[cache] / 9 }, (_, at) => goalOf(at));
      const cycle = () =>
        goals.map((text) => {
          const turns = cache === "session" ? [{ kind: "user" as const, text }] : [];
          return weighPlan(weigh, text, { ...rest, turns });
        });
      cycle();
      expect(Math.min(...cycle().slice(1))).toBeGreaterThan(256);
    }
  });

  it("is the same for each further piece of a plan, whatever is left to read", () => {
    const weigh = newWeigher();
    const readTexts = [{ vector: new Float32Array(1), tokens: 10 }];
    const further = (some: typeof tools) =>
      weigh({ name: "plan", request: { ...planRequest("g", { tools: some }), readTexts } as PlanTask }, "a");
    expect([further(tools), further(tools.slice(0, 1))]).toEqual([maxTokensAhead, maxTokensAhead]);
  });

  it("lets a flood of letters not pass by who works with known tools", () => {
    const weigh = newWeigher();
    const queue = createFairQueue<string>();
    const push = (share: string, request: PlanRequest) => {
      const task = { name: "plan", request } as const;
      queue.push(share, { share, tokens: estimateTokens(task), weight: weigh(task, share) });
    };
    push("agent", planRequest("the first turn", { tools }));
    queue.take(() => 1);
    for (let at = 0; at < 200; at++) push("flood", planRequest(`a${at}`));
    for (let at = 0; at < 4; at++) push("agent", planRequest(`turn ${at}`, { tools }));
    const order = Array.from({ length: 204 }, () => queue.take(() => 1)[0]!.item);
    expect(order.lastIndexOf("agent")).toBeLessThan(30);
  });
});

const estimatePlanTokens = (request: PlanRequest) => estimateTokens({ name: "plan", request });
const lookup = { name: "lookup", description: "finds a person" };

describe("the estimate of a request's tokens", () => {
  const short = estimatePlanTokens(planRequest("find a book"));

  it("grows with every text it is given", () => {
    expect(estimatePlanTokens(planRequest("find a book about boats"))).toBeGreaterThan(short);
    expect(estimatePlanTokens(planRequest("find a book", { tools: [lookup] }))).toBeGreaterThan(short);
    const turns = [{ kind: "result" as const, text: "nobody by that name" }];
    expect(estimatePlanTokens(planRequest("find a book", { turns }))).toBeGreaterThan(short);
    const history = [{ action: "lookup", observation: "nobody by that name" }];
    expect(estimatePlanTokens(planRequest("find a book", { history }))).toBeGreaterThan(short);
  });

  it("leaves out what earlier pieces of the plan have read", () => {
    const whole = planRequest("g", { tools });
    const readTexts = [10, 20].map((tokens) => ({ vector: new Float32Array(1), tokens }));
    expect(estimatePlanTokens({ ...whole, readTexts } as PlanTask)).toBe(estimatePlanTokens(whole) - 30);
  });

  it("counts no turn that is too old to be read", () => {
    const turns = Array.from({ length: 200 }, () => ({
      kind: "result" as const,
      text: "nobody by that name",
    }));
    const all = estimatePlanTokens(planRequest("find a book", { tools: [lookup], turns }));
    expect(
      estimatePlanTokens(planRequest("find a book", { tools: [lookup], turns: turns.slice(-maxTurns) })),
    ).toBe(all);
  });

  it("is never less than nothing, though more was read than was estimated", () => {
    const readTexts = [{ vector: new Float32Array(1), tokens: 10_000 }];
    expect(estimatePlanTokens({ ...planRequest("g", { tools }), readTexts } as PlanTask)).toBe(0);
  });

  it("counts no more of one text than the encoder reads", () => {
    const long = (characters: number) =>
      estimatePlanTokens(planRequest("g", { state: "x".repeat(characters) }));
    expect(long(1_000_000)).toBe(long(1_000));
  });
});
