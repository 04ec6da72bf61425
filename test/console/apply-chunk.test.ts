import { describe, expect, test } from "vitest";
import { Chunk } from "../../edge/console/api/chat-wire.ts";
import { waitingAnswer } from "../../edge/console/playground/answer-state.ts";
import { applyChunk } from "../../edge/console/playground/apply-chunk.ts";

const delta = (value: object) => Chunk.parse({ choices: [{ delta: value }] });

/** @returns the answer after the chunks, one every 10 ms */
const applyAll = (chunks: Chunk[], answer = waitingAnswer()) =>
  chunks.reduce((state, chunk, index) => applyChunk(state, chunk, (index + 1) * 10), answer);

describe("chunks applied to an answer", () => {
  test("the first sets the plan and its time, the last adds the charge without losing the plan", () => {
    const answer = applyAll([
      Chunk.parse({
        choices: [{ delta: { role: "assistant", content: "" } }],
        svc: { action_sequence: ["search"] },
      }),
      delta({ content: "Hello" }),
      Chunk.parse({
        choices: [],
        svc: { credits_charged: 0.5 },
        usage: { prompt_tokens: 3, completion_tokens: 1 },
      }),
    ]);
    expect(answer).toMatchObject({
      phase: "streaming",
      planMs: 10,
      firstByteMs: 20,
      svc: { action_sequence: ["search"], credits_charged: 0.5 },
      usage: { promptTokens: 3, completionTokens: 1 },
    });
  });

  test("text after the first word changes the same answer object, so that no component is drawn again", () => {
    const first = applyAll([delta({ content: "One" })]);
    const second = applyChunk(first, delta({ content: " two" }), 30);
    expect(second).toBe(first);
    expect(second.text.toString()).toBe("One two");
  });

  test("tool calls grow by index, several side by side", () => {
    const { toolCalls } = applyAll([
      delta({ tool_calls: [{ index: 0, id: "a", function: { name: "look", arguments: "" } }] }),
      delta({ tool_calls: [{ index: 1, id: "b", function: { name: "go", arguments: '{"to' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }),
      delta({ tool_calls: [{ index: 1, function: { arguments: '":1}' } }] }),
    ]);
    expect(toolCalls.map(({ id, function: { name, arguments: given } }) => [id, name, given])).toEqual([
      ["a", "look", "{}"],
      ["b", "go", '{"to":1}'],
    ]);
  });

  test("reasoning and a refusal are text of their own kind", () => {
    const answer = applyAll([delta({ reasoning_content: "Hm" }), delta({ refusal: "No." })]);
    expect([answer.reasoning.toString(), answer.text.toString()]).toEqual(["Hm", "No."]);
  });
});
