import { expect, it } from "vitest";
import { limitByForm } from "../../../../gpu-worker/planning/actions/asked-by-form.ts";
import type { Asking } from "../../../../gpu-worker/planning/message/asking.ts";
import { createMadeUpModel } from "../../support/made-up-model.ts";

const { table } = createMadeUpModel(() => []).model;
const none = table.actions.length;
const idOf = (name: string): number => table.idOfName(name)!;

/** What a part is left to ask for, by name, where the reader gave it these probabilities. */
function limit(part: string, asking: Asking, read: Record<string, number>, least = 0.5) {
  const chances = new Float32Array(none + 1);
  for (const [name, chance] of Object.entries(read)) chances[name === "nothing" ? none : idOf(name)] = chance;
  const left = limitByForm(table, part, asking, chances, least);
  return Object.fromEntries(
    [...left.keys()]
      .filter((id) => left[id]! > 0)
      .map((id) => [table.actions[id]?.name ?? "nothing", Number(left[id]!.toFixed(3))]),
  );
}

it.each<[part: string, asking: Asking, read: Record<string, number>, left: Record<string, number>]>([
  // A command.
  [
    "cancel the meeting",
    "anything",
    { cancel_meeting: 0.9, nothing: 0.1 },
    { cancel_meeting: 0.9, nothing: 0.1 },
  ],
  // Somebody is told: what is told is no request.
  [
    "let the team know that the meeting is cancelled",
    "anything",
    { cancel_meeting: 0.8, send_message: 0.15, send: 0.05 },
    { send_message: 0.75, send: 0.25 },
  ],
  ["tell Bob the invoice is paid", "anything", { pay_invoice: 0.9, nothing: 0.1 }, {}],
  // What is to be told may have to be looked up.
  [
    "tell Anna the weather",
    "anything",
    { get_weather: 0.6, send_message: 0.4 },
    { get_weather: 0.6, send_message: 0.4 },
  ],
  // A report of what was done.
  ["the parcel was returned", "little", { return_order: 0.9, track_order: 0.1 }, { track_order: 0.1 }],
  ["they say the meeting is cancelled", "little", { cancel_meeting: 0.6, cancel: 0.3 }, {}],
  ["I already paid the invoice", "little", { pay_invoice: 0.8, check_status: 0.2 }, { check_status: 0.2 }],
  // What goes on with an earlier part's request.
  ["and cancelled by tonight", "little", { cancel_meeting: 0.9 }, { cancel_meeting: 0.9 }],
  // Only a report can tell what was done.
  ["why was it cancelled, find the order", "anything", { cancel: 0.5 }, { cancel: 0.5 }],
  // Other forms.
  ["how do I cancel it", "answer", { cancel: 0.8, search: 0.1 }, { search: 0.1 }],
  ["do not cancel it", "nothing", { cancel: 0.8 }, {}],
  ["the oven is on", "little", { turn_off: 0.4 }, {}],
])("%j asks for no more than its form allows (%s)", (part, asking, read, left) => {
  expect(limit(part, asking, read)).toEqual(left);
});
