import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkEdgeVariables } from "../../../scripts/self-host/edge-variables.ts";
import { readStartSettings, refuseArguments, StartError } from "../../../scripts/self-host/settings.ts";
import { baseUrlVariables } from "../../../shared/providers.ts";

const read = (env: Record<string, string>) => readStartSettings(env, "/srv/svc");
const mistake = (env: Record<string, string>): string => {
  try {
    read(env);
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
  return "accepted";
};

describe("defaults", () => {
  test("are the documented ports, .data beside the caller, everything local and offline", () => {
    expect(read({})).toEqual({
      ports: { edge: 8787, worker: 8788, database: 8789 },
      dataDirectory: "/srv/svc/.data",
      outsideDatabase: undefined,
      gpuWorkerUrls: undefined,
      offline: true,
      lacksPoolKey: false,
      lacksDatabaseUrl: false,
    });
  });

  test("an empty variable counts as unset", () => {
    expect(
      read({ PORT: "", DATA_DIR: " ", LIBSQL_URL: "", GPU_WORKER_URLS: "", POOL_ROUTER_KEY: "" }),
    ).toEqual(read({}));
  });
});

describe("ports", () => {
  test("any number from 0 to 65535 is taken as it is", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 65535 }), (port) => {
        const others = { PORT: "0", DB_PORT: "0" };
        expect(read({ ...others, WORKER_PORT: String(port) }).ports.worker).toBe(port);
      }),
    );
  });

  test.each(["65536", "-1", "8787x", "1e3", "0x10", "80.5"])(
    "%s is refused by the variable's name",
    (text) => {
      expect(mistake({ DB_PORT: text })).toMatch(/^DB_PORT is not a port/);
    },
  );
});

describe("one port for two parts", () => {
  test.each([
    [{ WORKER_PORT: "9000", DB_PORT: "9000" }, /^WORKER_PORT and DB_PORT are both 9000/],
    [{ PORT: "8788" }, /^PORT and WORKER_PORT are both 8788/],
    [{ PORT: "0", WORKER_PORT: "0", DB_PORT: "0" }, /^accepted/],
    [{ PORT: "8788", GPU_WORKER_URLS: "https://gpu.example.com" }, /^accepted/],
    [{ PORT: "8789", LIBSQL_URL: "https://db.example.com" }, /^accepted/],
  ])("%o: %s", (env, verdict) => {
    expect(mistake(env as Record<string, string>)).toMatch(verdict);
  });
});

describe("provider roots", () => {
  test.each([
    "https://api.example.com/v1",
    "http://127.0.0.1:11434/v1",
    "http://127.8.9.10/v1",
    "http://localhost:8000",
    "http://[::1]:8000",
  ])("%s is accepted", (url) => {
    expect(mistake({ ROUTER_BASE_URL: url })).toBe("accepted");
  });

  test.each([
    "http://10.0.0.5/v1",
    "http://example.com",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com",
  ])("%s is refused: plain http beyond this machine", (url) => {
    expect(mistake({ ALPHA_BASE_URL: url })).toMatch(/^ALPHA_BASE_URL uses plain http .*use https/);
  });

  test.each(["api.example.com", "ftp://example.com", "file:///etc/passwd"])(
    "%s is refused: no URL of ours",
    (url) => {
      expect(mistake({ BETA_BASE_URL: url })).toMatch(/^BETA_BASE_URL is not a URL/);
    },
  );

  test("a user and password in a URL never reach the message", () => {
    expect(mistake({ GAMMA_BASE_URL: "http://user:hunter2@example.com" })).not.toMatch(/hunter2/);
  });
});

test.each(baseUrlVariables)("%s turns the offline responder off", (name) => {
  expect(read({ [name]: "https://api.example.com/v1" }).offline).toBe(false);
});

test("POOL_ROUTER_KEY turns the offline responder off", () => {
  expect(read({ POOL_ROUTER_KEY: "none" }).offline).toBe(false);
});

test.each([
  ["is missing where the pool has none and no server of its own", {}, true],
  ["is not missing for a server of one's own", { ROUTER_BASE_URL: "http://127.0.0.1:11434/v1" }, false],
  ["is not missing where it is set", { POOL_ROUTER_KEY: "a-key" }, false],
])("the pool's key %s", (_what, env, lacks) => {
  expect(read({ POOL_ROUTER_KEY: "none", ...env }).lacksPoolKey).toBe(lacks);
});

test.each([
  ["is missing beside a token", {}, true],
  ["is not missing where it is set", { LIBSQL_URL: "libsql://svc.example.com" }, false],
])("the address of an outside database %s", (_what, env, lacks) => {
  expect(read({ LIBSQL_AUTH_TOKEN: "a-token", ...env }).lacksDatabaseUrl).toBe(lacks);
});

test("DATA_DIR with a quotation mark is refused by its name", () => {
  expect(mistake({ DATA_DIR: '/srv/a "b"/data' })).toMatch(
    /^DATA_DIR \/srv\/a "b"\/data has a quotation mark/,
  );
  expect(mistake({ DATA_DIR: "/srv/a 'b' ü/data" })).toBe("accepted");
});

test("every worker of GPU_WORKER_URLS has to be https or on this machine", () => {
  expect(mistake({ GPU_WORKER_URLS: "https://a.example.com, http://127.0.0.1:9000" })).toBe("accepted");
  expect(mistake({ GPU_WORKER_URLS: "https://a.example.com,http://b.example.com" })).toMatch(
    /^GPU_WORKER_URLS uses plain http/,
  );
});

test.each([
  ["libsql://db.turso.io", "accepted"],
  ["https://db.example.com", "accepted"],
  ["http://127.0.0.1:8080", "accepted"],
  ["http://db.example.com", "LIBSQL_URL uses plain http"],
  ["file:local.db", "LIBSQL_URL is not a database URL"],
  ["https://user:hunter2@db.example.com", "LIBSQL_URL must hold no user name and password"],
])("LIBSQL_URL %s: %s", (url, verdict) => {
  expect(mistake({ LIBSQL_URL: url })).toMatch(new RegExp(`^${verdict}`));
});

describe("words after npm start", () => {
  test.each([["--port", "9000"], ["extra"], ["--help"]])("are refused: %s", (...words) => {
    expect(() => refuseArguments(words)).toThrow(/takes no arguments .*PORT=9000 npm start/);
    expect(() => refuseArguments([])).not.toThrow();
  });
});

describe("what only the edge reads", () => {
  const known = {
    LIBSQL_URL: "http://127.0.0.1:1",
    GPU_WORKER_URLS: "http://127.0.0.1:2",
    EDGE_SIGNING_KEY: JSON.stringify({ kty: "OKP", crv: "Ed25519", d: "d", x: "x" }),
  };

  test.each([
    ["MESSAGES_MAX_TOKENS", "abc"],
    ["MAX_IN_FLIGHT_PER_KEY", "-3"],
    ["VAULT_KEYS", "bad-canary"],
    ["METRICS_TOKEN", "short-canary"],
  ])("is judged before anything starts, by its name and never by its value: %s", (name, value) => {
    expect(() => checkEdgeVariables(known)).not.toThrow();
    const wrong = () => checkEdgeVariables({ ...known, [name]: value });
    expect(wrong).toThrow(StartError);
    expect(wrong).toThrow(name);
    expect(wrong).not.toThrow(/canary/);
  });
});
