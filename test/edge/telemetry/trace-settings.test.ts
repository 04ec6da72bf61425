import { describe, expect, test } from "vitest";
import { type Bindings, readConfig } from "../../../edge/env.ts";

const needed = {
  LIBSQL_URL: "http://127.0.0.1:1",
  GPU_WORKER_URLS: "http://127.0.0.1:2",
  EDGE_SIGNING_KEY: JSON.stringify({ kty: "OKP", crv: "Ed25519", d: "d", x: "x" }),
};
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.internal:4318/" };
const read = (more: Bindings) => readConfig({ ...needed, ...more }).traces;

describe("OpenTelemetry's variables", () => {
  test("without an endpoint keep no traces, whatever else is set", () => {
    expect(read({})).toBeUndefined();
    expect(read({ OTEL_SERVICE_NAME: "x", OTEL_TRACES_SAMPLER: "always_on" })).toBeUndefined();
  });

  test("with one alone send every trace there", () => {
    expect(read(endpoint)).toEqual({
      url: "http://collector.internal:4318/v1/traces",
      headers: {},
      serviceName: "svc",
      sampler: { ratio: 1, byParent: true },
    });
  });

  test("give headers, percent-encoded, and a name", () => {
    const headers = "Authorization=Basic%20abc%3D%3D, x-scope=tenant=1";
    const settings = read({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_SERVICE_NAME: "gateway" });
    expect(settings?.headers).toEqual({ authorization: "Basic abc==", "x-scope": "tenant=1" });
    expect(settings?.serviceName).toBe("gateway");
  });

  test.each([
    ["always_on", undefined, { ratio: 1, byParent: false }],
    ["always_off", undefined, { ratio: 0, byParent: false }],
    ["traceidratio", "0.1", { ratio: 0.1, byParent: false }],
    ["traceidratio", undefined, { ratio: 1, byParent: false }],
    ["parentbased_always_on", "0.1", { ratio: 1, byParent: true }],
    ["parentbased_always_off", undefined, { ratio: 0, byParent: true }],
    ["parentbased_traceidratio", "0.5", { ratio: 0.5, byParent: true }],
  ])("sample as %s %s says", (OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, sampler) => {
    expect(read({ ...endpoint, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG })?.sampler).toEqual(sampler);
  });

  test.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "canary"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "canary"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=canary%0d%0ax"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=%canary"],
    ["OTEL_TRACES_SAMPLER", "canary"],
    ["OTEL_TRACES_SAMPLER_ARG", "2"],
    ["METRICS_TOKEN", "canary"],
  ])("are refused by name where %s is %s, and no value is repeated", (name, value) => {
    const attempt = () => read({ ...endpoint, [name]: value });
    expect(attempt).toThrow(name);
    expect(attempt).not.toThrow(/canary/);
  });
});
