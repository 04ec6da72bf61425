// What tools require before any result is there.
import { expect, it } from "vitest";
import { readFirstNeeds } from "../../../../gpu-worker/planning/session/first-needs.ts";
import { leastMs } from "../../../support/least-ms.ts";

const tools = [
  { name: "open_page", needs: ["url"] },
  { name: "read_file", needs: ["path"] },
  { name: "web_search", needs: ["query"] },
  { name: "list_files", needs: [] },
];
const read = (text: string) => readFirstNeeds(tools, [{ kind: "user", text }], { missing: -2, given: 1 });

it.each([
  ["What does the retry helper do?", [-2, -2, 0, 0]],
  ["What is on shop.example?", [1, -2, 0, 0]],
  ["What does src/retry do?", [-2, 0, 0, 0]],
  ["What does retry.ts do?", [-2, 0, 0, 0]],
])("a tool whose value nobody has named waits: %s", (said, wanted) => {
  expect(read(said)).toEqual(wanted);
});

it.each([
  ["How many orders came in March?", -2],
  ["Run SELECT count(*)\nFROM orders", 0],
])("SQL is known where the message holds a query: %s", (said, wanted) => {
  const offered = [
    { name: "run_query", needs: ["sql"] },
    { name: "list_tables", needs: [] },
  ];
  const weights = { missing: -2, given: 1 };
  expect(readFirstNeeds(offered, [{ kind: "user", text: said }], weights)).toEqual([wanted, 0]);
});

it.each(["a-", "a.", "a/", "-.", "a@", "select "])(
  "reads %s in the time that the text is long",
  async (unit) => {
    expect(await leastMs(100, () => read(unit.repeat(2_000)))).toBeLessThan(100);
  },
);
