import { expect, test } from "vitest";
import { orderModels, searchModels } from "../../edge/console/api/model-names.ts";

const names = [
  "svc-x1ac-small",
  "svc-x1ac-small-gpt-4o",
  "svc-x1ac-base",
  "svc-x1ac-base-gpt-4o-mini",
  "svc-x1ac-base-gpt-4o",
  "svc-x1ac-base-openai/gpt-4o",
];

test("loaded sizes stand first, and names without an LLM are left out", () => {
  expect(orderModels(names, ["base"]).chat).toEqual([
    "svc-x1ac-base-gpt-4o-mini",
    "svc-x1ac-base-gpt-4o",
    "svc-x1ac-base-openai/gpt-4o",
    "svc-x1ac-small-gpt-4o",
  ]);
});

test("a search finds names by all its words in any order, whole endings first", () => {
  const { chat } = orderModels(names, ["base"]);
  expect(searchModels(chat, "4o base", 10)).toEqual([
    "svc-x1ac-base-gpt-4o-mini",
    "svc-x1ac-base-gpt-4o",
    "svc-x1ac-base-openai/gpt-4o",
  ]);
  expect(searchModels(chat, "GPT-4o", 2)).toEqual(["svc-x1ac-base-gpt-4o", "svc-x1ac-base-openai/gpt-4o"]);
  expect(searchModels(chat, "claude", 10)).toEqual([]);
});
