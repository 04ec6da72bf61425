/**
 * The header `Server-Timing` (W3C) of an answer: how long each of its stages took, as far as they are known when
 * the head is sent. At most one entry for each stage, so its length is bounded. Pure.
 */
import type { RequestWatch, Stage, StageRecord } from "./request-watch.ts";

const order: readonly Stage[] = ["auth", "plan", "rollout", "embed", "hold", "provider", "settle"];

/** Milliseconds of all that ended; a provider's call counts up to its first event. Undefined: none has. */
function sumStage(stages: readonly StageRecord[], stage: Stage): number | undefined {
  const lengths = stages.flatMap((record) => {
    const until = stage === "provider" ? record.firstAt : record.endedAt;
    return record.stage === stage && until !== undefined ? [until - record.startedAt] : [];
  });
  if (lengths.length === 0) return undefined;
  // Calls of several choices run beside each other: the first word of any is what was waited for.
  return stage === "provider" ? lengths[0] : lengths.reduce((sum, length) => sum + length, 0);
}

export function writeServerTiming(watch: RequestWatch): string {
  const entries = order.flatMap((stage) => {
    const length = sumStage(watch.stages, stage);
    return length === undefined ? [] : [`${stage};dur=${length}`];
  });
  return [...entries, `total;dur=${watch.elapsed()}`].join(", ");
}
