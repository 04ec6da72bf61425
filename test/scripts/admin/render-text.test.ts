import { expect, test } from "vitest";
import { renderText } from "../../../scripts/admin/render-text.ts";

test.each<[string, Record<string, unknown>, string]>([
  [
    "a field on a line each",
    { id: "a", balance: 1.5, operator: false },
    "id        a\nbalance   1.5\noperator  false\n",
  ],
  ["what there is not as a dash", { limit: null, flag: undefined }, "limit  -\nflag   -\n"],
  ["lists and objects as JSON", { prices: { input: 1 } }, 'prices  {"input":1}\n'],
  ["a list without records in a sentence", { keys: [] }, "no keys\n"],
  [
    "records as a table, without columns that have no value",
    {
      keys: [
        { id: "a", models: ["x"], budget: null },
        { id: "bb", models: null, budget: null },
      ],
    },
    'id  models\na   ["x"]\nbb  -\n',
  ],
  [
    "characters that move the cursor or turn the line by their number",
    { name: "a\u001b[2J\nb\u2028c\u200ed\u202ee\u2066f" },
    "name  a\\u{1b}[2J\\u{a}b\\u{2028}c\\u{200e}d\\u{202e}e\\u{2066}f\n",
  ],
])("an answer for people shows %s", (_what, output, text) => {
  expect(renderText(output)).toBe(text);
});
