// The edge's variables whose values are parsed and checked.
import { describe, expect, test } from "vitest";
import { ConfigError, readConfig } from "../../edge/env.ts";
import { createSigningKeys } from "../../shared/signature.ts";

const { privateJwk } = await createSigningKeys();
const read = (variables: Record<string, string>) =>
  readConfig({
    LIBSQL_URL: "https://db.example.com",
    GPU_WORKER_URLS: "https://gpu.example.com",
    EDGE_SIGNING_KEY: JSON.stringify(privateJwk),
    ...variables,
  });

describe("CORS_ORIGINS", () => {
  test.each([
    ["https://app.example.com/", "https://app.example.com"],
    ["https://App.Example.com:443", "https://app.example.com"],
    ["http://127.0.0.1:3000", "http://127.0.0.1:3000"],
    ["capacitor://localhost", "capacitor://localhost"],
    ["null", "null"],
    ["*", "*"],
  ])("%s is the origin that a browser sends", (given, origin) => {
    expect(read({ CORS_ORIGINS: given }).corsOrigins).toEqual([origin]);
  });

  test.each([
    "app.example.com",
    "localhost:3000",
    "app.example.com:8443",
    "https://*.example.com",
    "https://app.example.com/console",
  ])("%s, which no browser sends, is refused by name", (origin) => {
    const refusal = expect(() => read({ CORS_ORIGINS: `https://a.example,${origin}` }));
    refusal.toThrow(ConfigError);
    refusal.toThrow(/CORS_ORIGINS: must be \* or origins/);
  });
});

test("LIBSQL_URL with a token in its query is refused: it would not be read", () => {
  expect(() => read({ LIBSQL_URL: "libsql://db.example.com?authToken=t" })).toThrow("LIBSQL_AUTH_TOKEN");
});

describe("a value that would fail each request that uses it is refused at the start", () => {
  const mail = { MAIL_API_KEY: "key", MAIL_FROM: "svc <svc@svc.example>" };
  test.each([
    ["POOL_ROUTER_KEY", { POOL_ROUTER_KEY: "sk-or-canary\nsecond-line" }],
    ["POOL_ROUTER_KEY", { POOL_ROUTER_KEY: "schlüssel-canary" }],
    ["LIBSQL_AUTH_TOKEN", { LIBSQL_AUTH_TOKEN: "canary of two words" }],
    ["MAIL_API_KEY", { ...mail, MAIL_API_KEY: "canary€" }],
    ["MAIL_FROM", { ...mail, MAIL_FROM: "canary" }],
    ["MAIL_API_URL", { MAIL_API_URL: "canary" }],
    ["MAIL_API_URL", { MAIL_API_URL: "https://mail.example/canary" }],
    ["MAIL_API_KEY and MAIL_FROM go together", { MAIL_FROM: mail.MAIL_FROM }],
    ["ALPHA_BASE_URL", { ALPHA_BASE_URL: "https://api.example/v1?canary=1" }],
    ["GPU_WORKER_URLS", { GPU_WORKER_URLS: "https://gpu.example/#canary" }],
    // The runtime's fetch would leave them out.
    ["LIBSQL_URL: must hold no user name", { LIBSQL_URL: "libsql://canary@db.example" }],
    [
      "GPU_WORKER_URLS.1: must hold no user",
      { GPU_WORKER_URLS: "https://a.example,https://u:canary@b.example" },
    ],
    ["BETA_BASE_URL: must hold no user name", { BETA_BASE_URL: "https://user:canary@api.example/v1" }],
    [
      "OTEL_EXPORTER_OTLP_ENDPOINT: must hold no",
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://u:canary@otel.example" },
    ],
    [
      "OTEL_EXPORTER_OTLP_ENDPOINT: must be a root",
      { OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.example?canary=1" },
    ],
    // It is no bound of 0 as with MAX_IN_FLIGHT_...: nothing that claims memory would be served.
    ["BODY_MEMORY_MIB: must be a whole number from 1", { BODY_MEMORY_MIB: "0" }],
    ["MESSAGES_MAX_TOKENS: must be a whole number from 1 to 1000000", { MESSAGES_MAX_TOKENS: "64k" }],
    ["MESSAGES_MAX_TOKENS: must be", { MESSAGES_MAX_TOKENS: "0x10" }],
  ])("%s in %o", (name, variables) => {
    expect(() => read(variables)).toThrow(name);
    expect(() => read(variables)).not.toThrow(/canary/);
  });

  test("and one that works is not", () => {
    expect(
      read({ ...mail, POOL_ROUTER_KEY: " sk-or-key \n", ROUTER_BASE_URL: "https://api.example/v1/" }),
    ).toMatchObject({
      pool: { on: true, key: "sk-or-key" },
      mail: { kind: "api", url: "https://api.resend.com/emails", key: "key", from: mail.MAIL_FROM },
      baseUrls: { router: "https://api.example/v1" },
    });
  });
});

test("a wrong URL is told one thing, and what is missing is said to be", () => {
  expect(() => read({ ALPHA_BASE_URL: "api.example" })).toThrow(
    /: ALPHA_BASE_URL: must be a URL such as https:\/\/host\/path$/,
  );
  expect(() => readConfig({})).toThrow(
    /: LIBSQL_URL: must be set; GPU_WORKER_URLS: must be set; EDGE_SIGNING_KEY: must be set$/,
  );
});

test("a blank variable counts as unset, and white space around a value does not count", () => {
  const names = ["POOL_ROUTER_KEY", "CORS_ORIGINS", "MESSAGES_MAX_TOKENS", "METRICS_TOKEN", "GAMMA_BASE_URL"];
  expect(read(Object.fromEntries(names.map((name) => [name, " \r\n"])))).toEqual(read({}));
  expect(read({ MESSAGES_MAX_TOKENS: "64000\r", METRICS_TOKEN: "sixteen-characters\r" })).toMatchObject({
    messagesMaxTokens: 64_000,
    metricsToken: "sixteen-characters",
  });
});

test("a number that wrangler.toml has without quotation marks counts as one with them", () => {
  const numbers = { MESSAGES_MAX_TOKENS: 64_000, MAX_IN_FLIGHT_PER_KEY: 0 } as unknown as Record<
    string,
    string
  >;
  expect(read(numbers)).toMatchObject({ messagesMaxTokens: 64_000, maxInFlight: { perKey: 0 } });
  expect(() => read({ BODY_MEMORY_MIB: 0 as unknown as string })).toThrow("BODY_MEMORY_MIB");
});
