/**
 * A planner that fills its thread's young generation. Its answers carry V8's limits in other fields: the young generation's size as
 * `tokens`, the limit of the whole heap as `timings.modelMs`, both in MiB.
 */
import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";
import type { Planner, PlannerOptions } from "../../../gpu-worker/planning/planner.ts";
import { loadPlanner as loadFakePlanner } from "./fake-planner.ts";

const mib = 1024 * 1024;

/** @public loaded by its URL, in planner-thread.ts */
export async function loadPlanner(options: PlannerOptions): Promise<Planner> {
  const fake = await loadFakePlanner(options);
  return {
    ...fake,
    async plan(requests) {
      const youngMib = growYoung() / mib;
      const modelMs = getHeapStatistics().heap_size_limit / mib;
      const answers = await fake.plan(requests);
      return answers.map((answer) => ({ ...answer, tokens: youngMib, timings: { queueMs: 0, modelMs } }));
    },
  };
}

/** The most bytes the young generation had while many objects outlived a collection of it. */
function growYoung(): number {
  let most = 0;
  for (let round = 0; round < 100; round++) {
    const survivors = Array.from({ length: 20_000 }, (_, at) => ({ at, name: `survivor ${at}` }));
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    most = Math.max(most, survivors.length === 0 ? 0 : young!.space_size);
  }
  return most;
}
