/**
 * Which usage a pool call is billed by: the provider's report if it is consistent, else the larger of report and our own
 * count. A report above what was held is cut to the hold, not replaced by our count, which misses hidden reasoning. Pure.
 */
import { billableOutput, type Usage } from "../../shared/chat.ts";
import type { UsageFlag } from "../../shared/usage-flags.ts";

export type TokenCounts = { input: number; output: number };
export type SettledUsage = { usage: Usage; flag: UsageFlag | null };

export type UsageFacts = {
  reported?: Usage | undefined;
  /** `imageOutput`: the part of the output that is pictures, which have a price of their own. */
  counted: TokenCounts & { imageOutput?: number };
  bounds: TokenCounts;
};

/** Numbers that a usage report may leave out. */
type OptionalCount = {
  [Key in keyof Usage]-?: Exclude<Usage[Key], undefined> extends number
    ? undefined extends Usage[Key]
      ? Key
      : never
    : never;
}[keyof Usage];
/** A record, so that the compiler demands each: one missing here would be dropped when reports are summed. */
const optional: Record<OptionalCount, true> = {
  cacheWriteLong: true,
  audioInput: true,
  audioOutput: true,
  imageOutput: true,
  costUsd: true,
};
const optionalCounts = Object.keys(optional) as OptionalCount[];

/** A report of zero tokens is believed: it does not count as missing. */
export function settledUsage({ reported, counted, bounds }: UsageFacts): SettledUsage {
  if (reported === undefined) return { usage: plainUsage(counted, bounds), flag: "usage_missing" };
  if (!isConsistent(reported)) {
    // Of an invalid report, each readable count is used if it is more than our own.
    const input = Math.max(readCount(reported.input), counted.input);
    const output = Math.max(readCount(billableOutput(reported)), counted.output);
    return { usage: plainUsage({ ...counted, input, output }, bounds), flag: "usage_invalid" };
  }
  const fits = reported.input <= bounds.input && billableOutput(reported) <= bounds.output;
  return fits
    ? { usage: reported, flag: null }
    : { usage: cutToBounds(reported, bounds), flag: "usage_out_of_bounds" };
}

/** Each part is cut in the order in which it is priced (price.ts), so no token is priced twice. */
function cutToBounds(reported: Usage, bounds: TokenCounts): Usage {
  const input = Math.min(reported.input, bounds.input);
  const output = Math.min(billableOutput(reported), bounds.output);
  const cachedInput = Math.min(reported.cachedInput, input);
  const cacheWrite = Math.min(reported.cacheWrite, input - cachedInput);
  const cut: Usage = {
    input,
    output,
    total: input + output,
    cachedInput,
    cacheWrite,
    reasoning: Math.min(reported.reasoning, output),
  };
  const limits: Record<OptionalCount, number> = {
    cacheWriteLong: cacheWrite,
    audioInput: input,
    audioOutput: output,
    imageOutput: output,
    costUsd: Number.POSITIVE_INFINITY,
  };
  for (const name of optionalCounts) {
    const count = reported[name];
    if (count !== undefined) cut[name] = Math.min(count, limits[name]);
  }
  return cut;
}

function plainUsage({ imageOutput = 0, ...counted }: UsageFacts["counted"], bounds: TokenCounts): Usage {
  const input = clamp(counted.input, bounds.input);
  const output = clamp(counted.output, bounds.output);
  return {
    input,
    output,
    total: input + output,
    cachedInput: 0,
    cacheWrite: 0,
    reasoning: 0,
    ...(imageOutput > 0 && { imageOutput: Math.min(imageOutput, output) }),
  };
}

/**
 * Whether a report can be true. Reasoning is not compared with the output: some providers count it in addition, and it is never priced
 * twice.
 */
export function isConsistent(usage: Usage): boolean {
  const { input, output, total, cachedInput, cacheWrite, reasoning } = usage;
  const { cacheWriteLong = 0, audioInput = 0, audioOutput = 0, imageOutput = 0 } = usage;
  const parts = [cachedInput, cacheWrite, cacheWriteLong, audioInput, audioOutput, imageOutput, reasoning];
  return (
    [input, output, total, ...parts].every((count) => Number.isSafeInteger(count) && count >= 0) &&
    cachedInput + cacheWrite <= input &&
    cacheWriteLong <= cacheWrite &&
    audioInput <= input &&
    audioOutput + imageOutput <= billableOutput(usage)
  );
}

/** A number that may be a count of tokens; 0 for any other, such as 1e300. */
const readCount = (count: number): number => (Number.isSafeInteger(count) && count > 0 ? count : 0);

function clamp(count: number, bound: number): number {
  return Number.isFinite(count) ? Math.min(Math.max(0, Math.ceil(count)), bound) : bound;
}

/** The sum of two reports: an answer made of several calls (n > 1, the agent loop). */
export function addUsage(left: Usage, right: Usage): Usage {
  const sum: Usage = {
    input: left.input + right.input,
    output: left.output + right.output,
    total: left.total + right.total,
    cachedInput: left.cachedInput + right.cachedInput,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    reasoning: left.reasoning + right.reasoning,
  };
  for (const key of optionalCounts) {
    if (left[key] !== undefined || right[key] !== undefined) sum[key] = (left[key] ?? 0) + (right[key] ?? 0);
  }
  return sum;
}
