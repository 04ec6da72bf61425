import { expect, test, vi } from "vitest";
import type { ActionTable } from "../../../gpu-worker/world-model/actions.ts";
import type { Lexicon } from "../../../gpu-worker/world-model/lexicon.ts";
import { createToolReader } from "../../../gpu-worker/world-model/tools.ts";

function open() {
  const readName = vi.fn(() => ({ words: [], verb: undefined, object: undefined }));
  const table = { effectOf: () => undefined, idOf: () => 7 };
  const read = createToolReader(table as unknown as ActionTable, { readName } as unknown as Lexicon);
  const encoded = { vector: new Float32Array(1), tokens: 3, identity: {} };
  return {
    readName,
    encoded,
    read,
    readTool: (name: string) => read({ name, description: "finds a file" }, encoded),
  };
}

test("a tool that is known is not read again", () => {
  const { readName, readTool } = open();
  expect(readTool("find_file").name).toBe("find_file");
  readTool("find_file");
  expect(readName).toHaveBeenCalledTimes(1);
});

test("a description that differs only behind what the encoder reads has its own words", () => {
  const { readName, encoded, read } = open();
  const wordsOf = (description: string) => [
    ...read({ name: "find_file", description }, encoded).words.counts.keys(),
  ];
  expect(wordsOf("finds a lamp")).toContain("lamp");
  expect(wordsOf("finds a sofa")).toContain("sofa");
  expect(wordsOf("finds a sofa")).not.toContain("lamp");
  expect(readName).toHaveBeenCalledTimes(2);
});

test("of the names that have one text few are remembered: a caller may invent any number", () => {
  const { readName, readTool } = open();
  const names = Array.from({ length: 1_000 }, (_, at) => `find${"_".repeat(at + 1)}file`);
  for (const name of names) expect(readTool(name).name).toBe(name);
  readName.mockClear();
  for (const name of names) readTool(name);
  expect(readName.mock.calls.length).toBeGreaterThan(990);
});
