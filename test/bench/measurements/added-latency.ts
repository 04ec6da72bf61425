/** What the service adds to one call at a time, against a direct call to the same provider. */
import type { Call } from "../client.ts";
import { compareCalls, turnCalls, type Variant } from "../compare-calls.ts";
import type { Measurement } from "../measurement.ts";
import type { Effort, Result } from "../result.ts";
import { directCall, serviceCall } from "../rig/calls.ts";
import type { Rig } from "../rig/rig.ts";

async function listVariants(rig: Rig, stream: boolean): Promise<Variant[]> {
  const options = { stream, answer: stream ? "burst" : "short" } as const;
  const [providerUrl, full, fixed] = await Promise.all([
    rig.providerUrl(),
    rig.service("world-model"),
    rig.service("fixed-plan"),
  ]);
  const calls: [string, Call][] = [
    ["direct to the provider", directCall(providerUrl, options)],
    ["everything on, pool", serviceCall(full, options)],
    ["everything on, own key", serviceCall(full, { ...options, ownKey: true })],
    ["everything on, pool, svc.plan off", serviceCall(full, { ...options, planOff: true })],
    ["planning off (fixed plan), pool", serviceCall(fixed, options)],
    ["planning off (fixed plan), own key", serviceCall(fixed, { ...options, ownKey: true })],
  ];
  return calls.map(([label, call]) => ({ label, call }));
}

/** What the service has to keep, milliseconds of added p50. */
const bars = { json: 6, firstByte: 5, planOff: 1 };

async function measure(rig: Rig, effort: Effort, stream: boolean): Promise<Result> {
  const { calls, ...compared } = await compareCalls(await listVariants(rig, stream), effort);
  return {
    ...compared,
    notes: [
      `Bar: added p50 with everything on <= ${stream ? bars.firstByte : bars.json} ms where the processor has VNNI.`,
      `${calls} calls of each kind, ${turnCalls} in a turn, over ${effort.rounds} rounds; median of the rounds (lowest-highest).`,
      "Everything on: key check, plan, hold, provider, ledger. JSON is settled before it is answered.",
      "Planning off: the same service and the same gpu-worker with a planner that knows one plan and gives it at " +
        "once. A request cannot turn planning off: with svc.plan off it is made beside the call to the provider.",
      `Bar: svc.plan off within ${bars.planOff} ms of the fixed plan.`,
    ],
  };
}

export const addedJson: Measurement = {
  name: "json",
  title: "JSON answer, one call at a time",
  run: (rig, effort) => measure(rig, effort, false),
};

export const addedFirstByte: Measurement = {
  name: "first-byte",
  title: "First byte of a stream, one call at a time",
  run: (rig, effort) => measure(rig, effort, true),
};
