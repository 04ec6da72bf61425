// Times of an answer, as its events pass.
import { expect, test } from "vitest";
import { GenerationNotesBuilder } from "../../../edge/pipeline/generation-notes.ts";
import { requestOf } from "../support/chat-request.ts";

test("the first word is timed, not those after it, and so is the first plan of a loop", () => {
  let now = 1_000;
  const input = { modelName: "m", request: requestOf([]), answerIdPrefix: "chatcmpl" as const };
  const notes = new GenerationNotesBuilder(input, () => now);
  const word = { type: "text-delta", choice: 0, block: 0, text: "Hi" } as const;
  now = 1_020;
  notes.planned(["search"]);
  now = 1_050;
  notes.observe([{ type: "start", id: "c", model: "m" }]);
  now = 1_200;
  notes.observe([word]);
  now = 1_900;
  notes.planned(["end"]);
  notes.observe([word]);
  expect(notes.read()).toMatchObject({ planningMs: 20, firstByteMs: 200, totalMs: 900 });
});
