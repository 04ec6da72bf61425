import { describe, expect, test } from "vitest";
import { createFenceStripper } from "../../../../edge/pipeline/format/strip-fence.ts";
import { leastMs } from "../../../support/least-ms.ts";

function stripFence(pieces: readonly string[]): string {
  const { push, end } = createFenceStripper();
  return pieces.map(push).join("") + end();
}

describe("a text with its fence taken off, however it is cut", () => {
  test.each([
    ['```json\n{"a":1}\n```', '{"a":1}'],
    ['```\n{"a":1}\n```\n', '{"a":1}'],
    ['\n\n```json\n{"a": "``` b"}\n```', '{"a": "``` b"}'],
    ['{"a":1}', '{"a":1}'],
    ['  {"a":1}\n', '  {"a":1}\n'],
    ['```json\n{"a":1}', '{"a":1}'],
    ['```json\n{"a":1}\n``` and more', '{"a":1}\n``` and more'],
    ["Here is it:\n```json\n{}\n```", "Here is it:\n```json\n{}\n```"],
    ["``", "``"],
    ["```json", "```json"],
    ["", ""],
  ])("%j", (text, expected) => {
    expect(stripFence([text])).toBe(expected);
    expect(stripFence([...text])).toBe(expected);
    for (let cut = 1; cut < text.length; cut += 1) {
      expect(stripFence([text.slice(0, cut), text.slice(cut)])).toBe(expected);
    }
  });

  test("holds back no more than a line: what is written is seen", () => {
    const { push } = createFenceStripper();
    expect(push('```json\n{"a":')).toBe('{"a":');
    expect(push(" ".repeat(200)).length).toBe(136);
  });

  test("takes no longer for a text of nothing but spaces and marks", async () => {
    const flood = ` ${"`".repeat(3)}${" ".repeat(1_000)}`;
    const strip = () => {
      const marks = stripFence(["```json\n", ...Array<string>(2_000).fill(flood)]);
      expect(marks.length).toBeGreaterThan(2_000_000);
      expect(stripFence([`\`\`\`json\n${" ".repeat(4_000_000)}x`]).length).toBe(4_000_001);
    };
    expect(await leastMs(3_000, strip)).toBeLessThan(3_000);
  });
});
