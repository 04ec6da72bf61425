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

test("a search finds names by all its words in any order: loaded ones first, among them those that end with its last word", () => {
  const models = orderModels(names, ["base"]);
  expect(searchModels(models, "4o")).toEqual([
    "svc-x1ac-base-gpt-4o",
    "svc-x1ac-base-openai/gpt-4o",
    "svc-x1ac-base-gpt-4o-mini",
    "svc-x1ac-small-gpt-4o",
  ]);
  expect(searchModels(models, "4o base")).toEqual([
    "svc-x1ac-base-gpt-4o-mini",
    "svc-x1ac-base-gpt-4o",
    "svc-x1ac-base-openai/gpt-4o",
  ]);
  expect(searchModels(models, "GPT-4o").slice(0, 2)).toEqual([
    "svc-x1ac-base-gpt-4o",
    "svc-x1ac-base-openai/gpt-4o",
  ]);
  expect(searchModels(models, "claude")).toEqual([]);
});
