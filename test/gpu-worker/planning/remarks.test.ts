// What a message says without asking for anything.
import { expect, it } from "vitest";
import { isRemark, isThanks } from "../../../gpu-worker/planning/remarks.ts";

it.each([
  "ok",
  "Oh no!",
  "good morning",
  "perfect, thanks.",
  "the files are in now.",
  "Tom can't",
  "My card was stolen",
  "Dr Feld called in sick for Wednesday.",
])("%s: a remark", (part) => expect(isRemark(part)).toBe(true));

it.each([
  "cancel it",
  "good seats for two",
  "make sure the door is locked",
  "the bill has to be paid",
  "my order needs a new address",
  "what is in it",
  "Is the room free?",
  "please check what was ordered",
])("%s: no remark", (part) => expect(isRemark(part)).toBe(false));

it("takes a message for thanks only if it is short", () => {
  expect(isThanks("great, thanks a lot")).toBe(true);
  expect(isThanks("move it to Friday")).toBe(false);
  expect(
    isThanks(`Thanks. Then move the ${"very ".repeat(12)}long meeting to Friday and tell everybody`),
  ).toBe(false);
});

it("reads repeated words of thanks before another word at once", () => {
  const begun = performance.now();
  expect(isRemark(`${"thank ".repeat(24)}0`)).toBe(false);
  expect(performance.now() - begun).toBeLessThan(500);
});

it("reads a long part in the time that it is long", () => {
  const begun = performance.now();
  for (const part of ["ok ".repeat(700), "no! ".repeat(500), "a ".repeat(1_000), `${"well, ".repeat(300)}x`])
    isRemark(part);
  expect(performance.now() - begun).toBeLessThan(50);
});
