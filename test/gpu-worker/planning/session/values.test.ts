// Ids of a session by the names they stand under.
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../../gpu-worker/planning/session/events.ts";
import { readValues, takesId } from "../../../../gpu-worker/planning/session/values.ts";
import { leastMs } from "../../../support/least-ms.ts";

const given = (result: string, parameter: string, tool = "open_it", called = "look") => {
  const turns: SessionEvent[] = [
    { kind: "call", text: called },
    { kind: "result", text: result },
  ];
  return readValues(turns)
    .valuesFor(parameter, tool)
    ?.map(({ value }) => value);
};

it.each([
  ["order_id", true],
  ["bookingRef", true],
  ["cardNo", true],
  ["id", true],
  ["sku", true],
  ["code", false],
  ["number", false],
  ["query", false],
  ["valid_from", false],
])("%s takes an id: %s", (name, wanted) => {
  expect(takesId(name)).toBe(wanted);
});

describe("a parameter's values", () => {
  it("stand under its name, however that is written", () => {
    expect(given('{"orderId":"O-1"}', "order_id")).toEqual(["O-1"]);
    expect(given('{"order-id":17}', "OrderId")).toEqual(["17"]);
    expect(given('button "Send" [ref=e14]', "ref")).toEqual(["e14"]);
  });

  it("stand in a list under its name's plural", () => {
    expect(given('{"slot_ids":["s1","s2"]}', "slot_id")).toEqual(["s1", "s2"]);
  });

  it("stand under `id` in what is named after it", () => {
    expect(given('{"locks":[{"id":"LK1","name":"Front"},{"id":"LK2"}]}', "lockId")).toEqual(["LK1", "LK2"]);
    expect(given('{"id":"A-7"}', "account_id", "close_it", "find_account")).toEqual(["A-7"]);
    expect(given('{"id":"A-7"}', "order_id", "close_it", "find_account")).toEqual([]);
  });

  it("fit a tool's bare `id` by the tool's own name", () => {
    expect(given('{"ticket_id":"T-1","user_id":"U-1"}', "id", "read_ticket")).toEqual(["T-1"]);
  });

  it("are read of a result that was cut", () => {
    expect(given('{"order_id":"O-1","lines":[{"sku":"A', "order_id")).toEqual(["O-1"]);
  });
});

it("what a call was made with is known and used", () => {
  const values = readValues([{ kind: "call", text: "get", args: '{"card_no":"40213"}' }]);
  expect(values.valuesFor("card_no", "fees")).toMatchObject([{ value: "40213", turn: 0, isGiven: false }]);
  expect([values.isUsed("40213"), values.isUsed("77120")]).toEqual([true, false]);
});

it.each([
  ["Refund order 4711", true],
  ["NV300120 came in broken", true],
  ["Refund the lamp", false],
  ["Set up 45 minutes on the 12th", false],
])("%s may hold an id: %s", (text, wanted) => {
  expect(readValues([{ kind: "user", text }]).hasLoose).toBe(wanted);
});

it.each([
  ["Order 77 is open", true],
  ['{"order_id":"O-77","total":45.5}', false],
])("a result may hold an id without a key: %s, %s", (text, wanted) => {
  expect(readValues([{ kind: "result", text }]).hasLoose).toBe(wanted);
});

it("a long result of open brackets and quotes is read in linear time", async () => {
  const text = `${'{"a":['.repeat(20_000)}${'"'.repeat(20_000)}${"a=".repeat(20_000)}`;
  expect(await leastMs(500, () => readValues([{ kind: "result", text }]))).toBeLessThan(500);
});
