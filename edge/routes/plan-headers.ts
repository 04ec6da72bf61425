/**
 * The plan and who paid, as response headers, for a dialect whose body has no place for them. Values are
 * ASCII; lists are joined by ", ".
 */
import type { SvcMetadata } from "../planning/svc-metadata.ts";

export const planHeaderNames = [
  "x-svc-execution-llm",
  "x-svc-key-source",
  "x-svc-plan",
  "x-svc-confidence",
  "x-svc-metadata",
] as const;

/** The trace is left out: it quotes tools' results, and a header has little room. */
export function writePlanHeaders({
  execution_trace: _trace,
  ...metadata
}: SvcMetadata): Record<(typeof planHeaderNames)[number], string> {
  return {
    "x-svc-execution-llm": toAscii(metadata.execution_llm),
    "x-svc-key-source": metadata.key_source,
    "x-svc-plan": toAscii(metadata.action_sequence.join(", ")),
    "x-svc-confidence": String(metadata.overall_confidence),
    "x-svc-metadata": toAscii(JSON.stringify(metadata)),
  };
}

/** Other characters as JSON escapes them: a header is bytes, and runtimes differ on what they mean. */
const toAscii = (text: string): string =>
  text.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
