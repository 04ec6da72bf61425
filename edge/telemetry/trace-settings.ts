/**
 * Where traces are sent and which requests are traced, from OpenTelemetry's standard variables. Without an endpoint nothing is
 * sent. edge/env.ts reads the schema's rows with its own.
 */
import { z } from "zod";

/** Sampling of OTEL_TRACES_SAMPLER: the share of requests traced, and whether a caller's traceparent decides first. */
export type Sampler = { ratio: number; byParent: boolean };

export type TraceSettings = {
  /** The endpoint with the path for traces. */
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  sampler: Sampler;
};

const samplers = {
  always_on: { ratio: 1, byParent: false },
  always_off: { ratio: 0, byParent: false },
  traceidratio: { byParent: false },
  parentbased_always_on: { ratio: 1, byParent: true },
  parentbased_always_off: { ratio: 0, byParent: true },
  parentbased_traceidratio: { byParent: true },
} as const satisfies Record<string, Partial<Sampler>>;

const shareShape = "must be a number from 0 to 1";
const headersShape = "must be name=value, comma-separated, values percent-encoded";

/** The values may be keys: an issue never repeats them. */
const Headers = z.string().transform((text, context) => {
  const entries = text.split(",").map((entry) => {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
    return name === undefined ? undefined : ([name.toLowerCase(), decode(value!)] as const);
  });
  if (entries.every((entry) => entry?.[1] !== undefined)) {
    return Object.fromEntries(entries as [string, string][]);
  }
  context.addIssue(headersShape);
  return z.NEVER;
});

/** Undefined for wrong percent-encoding, or for text that no header may hold. */
function decode(value: string): string | undefined {
  try {
    const text = decodeURIComponent(value);
    return /^[ -~]*$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** @param RootUrl reads a URL to which a path is appended; a collector may be on plain http, as spans hold no secrets */
export const traceVariables = (RootUrl: z.ZodType<string, string>) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: RootUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: Headers.optional(),
  OTEL_SERVICE_NAME: z.string().max(255).default("svc"),
  OTEL_TRACES_SAMPLER: z
    .enum(Object.keys(samplers) as (keyof typeof samplers)[])
    .default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number(shareShape).min(0, shareShape).max(1, shareShape).default(1),
});

type TraceVariables = z.infer<z.ZodObject<ReturnType<typeof traceVariables>>>;

/** Undefined: no traces. */
export function buildTraceSettings(variables: TraceVariables): TraceSettings | undefined {
  const endpoint = variables.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const chosen: Partial<Sampler> & { byParent: boolean } = samplers[variables.OTEL_TRACES_SAMPLER];
  return {
    url: `${endpoint}/v1/traces`,
    headers: variables.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: variables.OTEL_SERVICE_NAME,
    sampler: { ratio: variables.OTEL_TRACES_SAMPLER_ARG, ...chosen },
  };
}
