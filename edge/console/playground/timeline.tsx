/**
 * A line with the times of the plan, the first word and the end: shows how much earlier the plan comes. A plan that is kept from the LLM
 * may come after the first word.
 */
import { formatDuration } from "../components/format.ts";
import type { AnswerState } from "./answer-state.ts";

export function Timeline({ answer }: { answer: AnswerState }) {
  const { planMs, firstByteMs, totalMs } = answer;
  if (totalMs === undefined || planMs === undefined) return null;
  const at = (milliseconds: number) => `${(milliseconds / Math.max(totalMs, 1)) * 100}%`;
  const first = firstByteMs ?? totalMs;
  const waited = Math.min(planMs, first);
  const words = [
    `plan after ${formatDuration(planMs)}`,
    firstByteMs !== undefined && `first word after ${formatDuration(firstByteMs)}`,
    `end after ${formatDuration(totalMs)}`,
  ];
  return (
    <svg class="timeline" role="img" aria-label={words.filter(Boolean).join(", ")} height="10" width="100%">
      <rect class="wait" x="0" y="3" width={at(waited)} height="4" />
      <rect class="planned" x={at(waited)} y="3" width={at(first - waited)} height="4" />
      <rect class="said" x={at(first)} y="3" width={at(totalMs - first)} height="4" />
      <circle class="planned" cx={at(planMs)} cy="5" r="5" />
    </svg>
  );
}
