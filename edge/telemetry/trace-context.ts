/**
 * Which trace a request belongs to (W3C Trace Context): read from its caller's `traceparent`, else a new one; passed on to the
 * gpu-workers. Pure; random bytes are an argument.
 */
import { toHex } from "../../shared/hex.ts";
import type { Sampler } from "./trace-settings.ts";

export type RandomBytes = (length: number) => Uint8Array;

export type TraceContext = {
  readonly traceId: string;
  /** The request's own span. */
  readonly spanId: string;
  /** The caller's span. */
  readonly parentId: string | undefined;
  readonly sampled: boolean;
  newSpanId(): string;
};

type Parent = { traceId: string; parentId: string; sampled: boolean };

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined for a missing or invalid header: then a new trace begins. */
export function readTraceparent(header: string | null): Parent | undefined {
  const [, version, traceId, parentId, flags, more] = shape.exec(header?.trim() ?? "") ?? [];
  if (traceId === undefined || parentId === undefined || version === "ff") return undefined;
  // Later versions may add fields at the end; this one has none.
  if (version === "00" && more !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  return { traceId, parentId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

export function openTrace(
  header: string | null,
  { ratio, byParent }: Sampler,
  randomBytes: RandomBytes,
): TraceContext {
  const newSpanId = () => toHex(randomBytes(8));
  const parent = readTraceparent(header);
  const traceId = parent?.traceId ?? toHex(randomBytes(16));
  return {
    traceId,
    spanId: newSpanId(),
    parentId: parent?.parentId,
    sampled: byParent && parent !== undefined ? parent.sampled : isBelow(traceId, ratio),
    newSpanId,
  };
}

/** Hexadecimal digits that are compared: 52 of the id's last 56 bits, which are random in every id. A number holds 52 exactly. */
const countedDigits = 13;

/** Gives the same result for a trace in every service. */
const isBelow = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-countedDigits), 16) < ratio * 16 ** countedDigits;

export const writeTraceparent = ({ traceId, sampled }: TraceContext, spanId: string): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
