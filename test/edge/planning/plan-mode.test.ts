// Whether an agent may change anything yet.
import { expect, test } from "vitest";
import { isPlanMode } from "../../../edge/planning/plan-mode.ts";
import type { ChatMessage } from "../../../shared/chat.ts";

const user = (text: string): ChatMessage => ({ role: "user", parts: [{ type: "text", text }] });
const result = (text: string): ChatMessage => ({
  role: "tool",
  parts: [{ type: "tool-result", toolCallId: "c", content: [{ type: "text", text }] }],
});
const begun = user(
  "<system-reminder>\nPlan mode is active. You MUST NOT make any edits.\n</system-reminder>\nadd a flag",
);
const act = user(
  "<system-reminder>\nYour operational mode has changed from plan to build.\n</system-reminder>\ngo",
);
const cline = (mode: string) =>
  user(`hi\n<environment_details>\n# Current Mode\n${mode} MODE\n</environment_details>`);

test.each<[string, ChatMessage[], boolean]>([
  ["a plain conversation", [user("add a flag")], false],
  ["Claude Code's plan mode", [begun, result("src/flags.ts")], true],
  ["a reminder of it", [user("Plan mode still active (see above)")], true],
  [
    "opencode's plan mode",
    [user("# Plan Mode - System Reminder\nCRITICAL: Plan mode ACTIVE - you are in READ-ONLY phase")],
    true,
  ],
  ["an approved plan", [begun, result("User has approved your plan. You can now start coding.")], false],
  ["words about a plan mode", [user("why does the thermostat say holiday plan mode active?")], false],
  ["a user's line about it", [user("Plan mode active? I had switched it off")], false],
  ["a file's line about it", [result("# Modes\n\nPlan mode is active when you press Tab.")], false],
  [
    "what the assistant writes about it",
    [{ role: "assistant", parts: [{ type: "text", text: "CRITICAL: Plan mode ACTIVE" }] }],
    false,
  ],
  ["a mode that was left", [begun, act], false],
  ["a mode that was taken up again", [begun, act, begun], true],
  ["a mode that began 64 messages ago", [begun, ...Array<ChatMessage>(63).fill(user("go on"))], true],
  [
    "one that began earlier, and is not read of",
    [begun, ...Array<ChatMessage>(64).fill(user("go on"))],
    false,
  ],
  ["Cline's plan mode", [cline("ACT"), cline("PLAN")], true],
  ["Cline's other mode", [cline("PLAN"), cline("ACT")], false],
])("%s", (_what, messages, is) => {
  expect(isPlanMode(messages)).toBe(is);
});
