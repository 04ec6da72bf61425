/** Numbers in words: labels of confidence. Pure. */
import type { ConfidenceLabel } from "../../shared/planning.ts";
import type { PlanningConfig } from "../world-model/manifest.ts";

/** The label of a calibrated probability. */
export function confidenceLabel(
  probability: number,
  { high, medium }: PlanningConfig["confidence"],
): ConfidenceLabel {
  if (probability >= high) return "High";
  return probability >= medium ? "Medium" : "Low";
}
