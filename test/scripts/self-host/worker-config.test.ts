import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { expect, test } from "vitest";
import { findBinary } from "../../../scripts/self-host/binaries.ts";
import { buildEdgeVariables, edgeVariableNames } from "../../../scripts/self-host/edge-variables.ts";
import { buildWorkerConfig, readWorkerSettings } from "../../../scripts/self-host/worker-config.ts";

const toml = readFileSync(new URL("../../../wrangler.toml", import.meta.url), "utf8");
const secrets = { vaultKeys: "k1:canary-vault", signingKey: '{"d":"canary-signing"}', databaseToken: "own" };

test("wrangler.toml names exactly the variables that npm start hands to the edge", () => {
  const named = new Set(
    [...toml.matchAll(/^# +?([A-Z][A-Z_]+) =|^# {3}([A-Z][A-Z_]+) /gm)].map((match) => match[1] ?? match[2]),
  );
  expect([...named].sort()).toEqual([...edgeVariableNames].sort());
});

test("the local edge runs under the date and flags of wrangler.toml", () => {
  const config = buildWorkerConfig(readWorkerSettings(toml), "edge.js", "/files", {});
  expect(config).toContain(/^compatibility_date = (".*")$/m.exec(toml)![1]);
  expect(config).toContain("enable_request_signal");
});

/** What workerd answers with `script` as its edge, configured in a new folder whose name begins with `prefix`. */
async function answerOf(script: string, prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await writeFile(join(folder, "edge.js"), script);
  const config = buildWorkerConfig(readWorkerSettings(toml), "edge.js", folder, {});
  await writeFile(join(folder, "config.capnp"), config);
  const child = spawn(findBinary("workerd"), ["serve", join(folder, "config.capnp"), "--control-fd=3"], {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  const ended = once(child, "exit");
  try {
    const failed = ended.then(() => Promise.reject(new Error("workerd did not start")));
    const [line] = await Promise.race([once(child.stdio[3] as Readable, "data"), failed]);
    const { port } = JSON.parse(String(line)) as { port: number };
    return await (await fetch(`http://127.0.0.1:${port}`)).text();
  } finally {
    child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true });
  }
}

test("the local edge may ask V8 to collect", async () => {
  const script = "export default { fetch() { gc(); return new Response('collected'); } };";
  expect(await answerOf(script, "svc-gc-")).toBe("collected");
});

test("the console's files may lie in a folder with quotes and backslashes in its name", async () => {
  const script = "export default { fetch: (request, env) => env.ASSETS.fetch('http://x/edge.js') };";
  expect(await answerOf(script, 'svc-"a" \\b-')).toBe(script);
});

test("a missing key of wrangler.toml is named", () => {
  expect(() => readWorkerSettings('main = "edge/index.ts"')).toThrow("compatibility_date");
});

test("variables are bound by name, and no value is written down", () => {
  const variables = buildEdgeVariables(
    { POOL_ROUTER_KEY: "canary-pool", LIBSQL_AUTH_TOKEN: "canary-token" },
    {},
    secrets,
    "abc",
  );
  const config = buildWorkerConfig(readWorkerSettings(toml), "edge.js", "/files", variables);
  expect(config).toContain('(name = "POOL_ROUTER_KEY", fromEnvironment = "POOL_ROUTER_KEY")');
  expect(config).not.toContain("canary");
  expect(config).not.toContain("CORS_ORIGINS");
});

test("a local part replaces whatever the operator set for it, and an outside token is not sent to it", () => {
  const variables = buildEdgeVariables(
    { LIBSQL_AUTH_TOKEN: "outside", CORS_ORIGINS: " https://a.example " },
    { database: 1, worker: 2, responder: 3 },
    secrets,
    "abc",
  );
  expect(variables).toEqual({
    LIBSQL_URL: "http://127.0.0.1:1",
    LIBSQL_AUTH_TOKEN: "own",
    GPU_WORKER_URLS: "http://127.0.0.1:2",
    ROUTER_BASE_URL: "http://127.0.0.1:3",
    POOL_ROUTER_KEY: "none",
    CORS_ORIGINS: "https://a.example",
    BODY_MEMORY_MIB: "160",
    MAIL_API_URL: "log",
    GIT_SHA: "abc",
    VAULT_KEYS: secrets.vaultKeys,
    EDGE_SIGNING_KEY: secrets.signingKey,
  });
});

test("codes are written to the log only where no mail provider is set", () => {
  const mail = { MAIL_API_URL: "https://mail.example", MAIL_API_KEY: "canary", MAIL_FROM: "svc@svc.example" };
  expect(buildEdgeVariables(mail, {}, secrets, "abc")).toMatchObject(mail);
  // Half of the settings: the edge refuses to start, instead of writing codes to the log.
  for (const [name, value] of Object.entries(mail))
    expect(buildEdgeVariables({ [name]: value }, {}, secrets, "abc").MAIL_API_URL).not.toBe("log");
  expect(buildEdgeVariables({}, {}, secrets, "abc").MAIL_API_URL).toBe("log");
});
