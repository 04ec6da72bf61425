import type { CreateEmbeddingResponse } from "openai/resources";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  buildEmbeddingList,
  decodeVector,
  type EmbeddingList,
  EmbeddingRequest,
  readTexts,
} from "../../../../../edge/dialects/caller/openai/embeddings.ts";
import { describeIssues } from "../../../../../edge/middleware/describe-issues.ts";

const encode = (values: number[]) =>
  btoa(String.fromCharCode(...new Uint8Array(Float32Array.from(values).buffer)));
const ask = (input: EmbeddingRequest["input"]): EmbeddingRequest => ({ model: "svc-x1ac-base", input });

describe("the texts of an embeddings request", () => {
  test("are one or many, in order", () => {
    expect(readTexts(ask("a"))).toEqual(["a"]);
    expect(readTexts(ask(["b", "a"]))).toEqual(["b", "a"]);
  });

  test.each([
    ["none", []],
    ["an empty one", ["a", ""]],
    ["one of blanks only", " \n"],
    ["more than a hundred", Array.from({ length: 101 }, () => "x")],
  ])("%s is refused with 400", (_name, input) => {
    expect(() => readTexts(ask(input))).toThrow(
      expect.objectContaining({ code: "invalid_request", status: 400 }),
    );
  });
});

test("an input that is no text says what it has to be", () => {
  const { error } = EmbeddingRequest.safeParse({ model: "svc-x1ac-base", input: 5 });
  expect(describeIssues(error!)).toEqual(["input: Invalid input: expected string or array"]);
});

describe("the list of embeddings", () => {
  const vectors = [encode([0.5, -1]), encode([0.25, 3])];
  const facts = { model: "svc-x1ac-base", tokens: 7 };

  test("keeps order and index, as numbers or as base64 of the same bytes", () => {
    const floats = buildEmbeddingList(vectors, { ...facts, format: "float" });
    expect(floats.data).toEqual([
      { object: "embedding", index: 0, embedding: [0.5, -1] },
      { object: "embedding", index: 1, embedding: [0.25, 3] },
    ]);
    const packed = buildEmbeddingList(vectors, { ...facts, format: "base64" });
    expect(packed.data.map(({ embedding }) => decodeVector(embedding as string))).toEqual(
      floats.data.map(({ embedding }) => embedding),
    );
    expect(packed.usage).toEqual({ prompt_tokens: 7, total_tokens: 7 });
  });

  test("is read by the official client", () => {
    type Floats = Omit<EmbeddingList, "data"> & {
      data: { object: "embedding"; index: number; embedding: number[] }[];
    };
    expectTypeOf<Floats>().toExtend<CreateEmbeddingResponse>();
  });
});
