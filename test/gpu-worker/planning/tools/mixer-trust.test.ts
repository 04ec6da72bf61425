import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../../gpu-worker/planning/session/events.ts";
import {
  chancesOfFirst,
  trustAt,
  trustMixer,
  weighStep,
} from "../../../../gpu-worker/planning/tools/mixer-trust.ts";

const sum = (chances: Iterable<number>) => [...chances].reduce((total, chance) => total + chance, 0);
const rounded = (chances: Iterable<number>) => [...chances].map((chance) => Number(chance.toFixed(9)));

describe("how far the mixer is trusted", () => {
  const uninstructed = { maxCharacters: 40, message: 0.5, firstPart: 0.4, nextPart: 0.4 };
  const trusts = { whole: 0.7, inParts: 0.5, uninstructed };
  const [one, several] = ["Find a lamp", "Find a lamp and order it"];
  const part = Float64Array.of(1, 0);
  const whole = { message: 0.7, firstPart: 0 };
  const inParts = { message: 0.5, firstPart: 0 };

  it.each([
    ["one request", one, "", 1, whole],
    ["one request under instructions", one, "x".repeat(41), 1, whole],
    ["several requests that are not divided", several, "", 1, inParts],
    ["several requests under instructions", several, "x".repeat(41), 2, inParts],
    [
      "several requests under a short instruction",
      several,
      "Look an order up before you change it.",
      2,
      inParts,
    ],
    ["several requests and a role in a few words", several, "x".repeat(40), 2, uninstructed],
    ["several requests and nothing else", several, "", 2, uninstructed],
    ["several requests and white space", several, " ".repeat(41), 2, uninstructed],
  ])("%s", (_name, goal, state, parts, wanted) => {
    const reading = { mixedParts: new Array<Float64Array>(parts).fill(part) };
    expect(trustAt({ request: { goal, state }, reading }, trusts)).toMatchObject(wanted);
  });
});

describe("the probabilities of the first part that asks", () => {
  it("are those of the first part where it surely asks", () => {
    const parts = [Float64Array.of(0.9, 0.1, 0), Float64Array.of(0, 1, 0)];
    expect([...chancesOfFirst(parts)]).toEqual([0.9, 0.1, 0]);
  });

  it("pass over a part that only tells", () => {
    const parts = [Float64Array.of(0, 0, 1), Float64Array.of(0.2, 0.8, 0)];
    expect([...chancesOfFirst(parts)]).toEqual([0.2, 0.8, 0]);
  });

  it("weigh each part by how likely it is the first, and sum to one", () => {
    const found = chancesOfFirst([Float64Array.of(0.5, 0.1, 0.4), Float64Array.of(0.1, 0.6, 0.3)]);
    expect(rounded(found)).toEqual([0.54, 0.34, 0.12]);
    expect(sum(found)).toBeCloseTo(1, 12);
  });
});

describe("the reader and the mixer multiplied", () => {
  const read = Float64Array.of(0.2, 0.3, 0.1, 0.3, 0.1);
  const mixed = Float64Array.of(0.6, 0.1, 0.3);

  it("are the mixer alone where it is trusted wholly, its own `none` included", () => {
    const weighed = trustMixer(read, { mixed, mixedParts: [] }, { message: 1, firstPart: 0 });
    expect(rounded(weighed.subarray(0, 2))).toEqual([0.6, 0.1]);
    expect(sum(weighed.subarray(2))).toBeCloseTo(0.3, 9);
    expect(weighed[3]! / weighed[2]!).toBeCloseTo(3, 9);
  });

  it("are the reader alone where the mixer is not trusted", () => {
    const weighed = trustMixer(read, { mixed, mixedParts: [mixed] }, { message: 0, firstPart: 0 });
    expect(rounded(weighed)).toEqual([...read]);
  });

  it("put the tool of the first part before one that the whole message names as much", () => {
    const even = {
      mixed: Float64Array.of(0.5, 0.5, 0),
      mixedParts: [Float64Array.of(0.1, 0.9, 0), Float64Array.of(0.9, 0.1, 0)],
    };
    const weighed = trustMixer(Float64Array.of(0.5, 0.5, 0, 0, 0), even, { message: 0.5, firstPart: 0.4 });
    expect(weighed[1]!).toBeGreaterThan(2 * weighed[0]!);
    expect(sum(weighed)).toBeCloseTo(1, 12);
  });

  it("keep a forbidden tool at 0", () => {
    const without = Float64Array.of(0, 0.5, 0.2, 0.2, 0.1);
    expect(trustMixer(without, { mixed, mixedParts: [mixed] }, { message: 0.5, firstPart: 0.4 })[0]).toBe(0);
  });
});

describe("before a step of a plan", () => {
  const trusts = {
    whole: 1,
    inParts: 1,
    uninstructed: { maxCharacters: 20, message: 1, firstPart: 0, nextPart: 1 },
  };
  const evidence = { logOdds: Float64Array.of(0, 0), progress: "unclear" as const, isOpen: false };
  const read = Float64Array.of(0.2, 0.6, 0.1, 0.1, 0);
  const mixed = Float64Array.of(0.9, 0.1, 0);
  const mixedParts = [Float64Array.of(0.9, 0.1, 0), Float64Array.of(0.25, 0.75, 0)];
  const tools = [{ name: "find" }, { name: "order" }];
  const one = { goal: "Find a lamp", state: "" };
  const several = { goal: "Find a lamp and order it", state: "" };
  const user = { kind: "user", text: "Find a lamp and order it" } as const;
  const call = (text: string) => ({ kind: "call", text }) as const;
  const result = (text: string) => ({ kind: "result", text }) as const;
  const weigh = (
    request: typeof one,
    events: SessionEvent[],
    planned: SessionEvent[] = [],
    reading: { mixed?: Float64Array; mixedParts: Float64Array[] } = { mixed, mixedParts },
  ) => weighStep({ request, events, tools, reading, evidence }, planned, read, trusts);
  /** The first tool's share of the tools' total; the reader's is .25. */
  const shareOfFirst = (chances: Float64Array) => chances[0]! / (chances[0]! + chances[1]!);

  it("the mixer counts at a conversation's first turn", () => {
    expect(rounded(weigh(one, [user]))).toEqual([0.9, 0.1, 0, 0, 0]);
  });

  it("the next part's tool counts once the first part's was called or is planned", () => {
    for (const weighed of [
      weigh(several, [user, call("find"), result("3 lamps")]),
      weigh(several, [user], [{ kind: "planned", text: "find" }]),
    ]) {
      expect(shareOfFirst(weighed)).toBeCloseTo(0.1, 9);
      expect(rounded(weighed.subarray(2))).toEqual([0.1, 0.1, 0]);
    }
  });

  it.each<[string, typeof one, SessionEvent[]]>([
    ["every part is served", several, [user, call("find"), call("order")]],
    ["a system prompt says how to go about it", { ...several, state: "x".repeat(21) }, [user, call("find")]],
    ["the last call failed", several, [user, call("find"), result("Error: timed out")]],
    [
      "a conversation is so long that its beginning was left out",
      several,
      [user, call("find"), ...new Array<SessionEvent>(62).fill(result("3 lamps"))],
    ],
    ["there was talk before", several, [{ kind: "assistant", text: "Hello" }, user, call("find")]],
  ])("the reader decides alone where %s", (_name, request, events) => {
    expect(weigh(request, events)).toBe(read);
  });

  it("the reader decides alone where the message asks for one thing", () => {
    expect(weigh(one, [user, call("find")], [], { mixed, mixedParts: [mixed] })).toBe(read);
  });

  it("the reader decides alone where there is no message that the mixer could read", () => {
    expect(weigh(one, [user], [], { mixedParts: [] })).toBe(read);
  });

  it("evidence counts for the first step only", () => {
    const seen = { ...evidence, logOdds: Float64Array.of(Math.log(6), 0) };
    const session = {
      request: one,
      events: [user, call("find")],
      tools,
      reading: { mixedParts: [] },
      evidence: seen,
    };
    expect(shareOfFirst(weighStep(session, [], read, trusts))).toBeCloseTo(2 / 3, 9);
    expect(weighStep(session, [{ kind: "planned", text: "find" }], read, trusts)).toBe(read);
  });
});
