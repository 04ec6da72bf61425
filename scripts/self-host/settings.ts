/**
 * Reads and checks the variables of `npm start`: every mistake becomes one sentence that names the variable and says what to
 * write instead. Pure; values of secrets never reach a message.
 */
import { resolve } from "node:path";
import { isLoopback } from "../../edge/env.ts";
import { baseUrlVariables } from "../../shared/providers.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Beside those of edge and gpu-worker. */
export const startVariableNames = ["PORT", "DB_PORT", "DATA_DIR"];

export type StartSettings = {
  /** Loopback ports; 0 is any free one. */
  ports: { edge: number; worker: number; database: number };
  /** Absolute. */
  dataDirectory: string;
  /** Absent: the embedded sqld. */
  outsideDatabase: { url: string; authToken: string | undefined } | undefined;
  /** Absent: the local gpu-worker. */
  gpuWorkerUrls: string | undefined;
  /** No provider is configured, so the offline responder answers. */
  offline: boolean;
  /** The pool asks OpenRouter without a key, which refuses every request. */
  lacksPoolKey: boolean;
  /** A token without an address: the embedded database is used, empty at first, where an outside one was meant. */
  lacksDatabaseUrl: boolean;
};

/** A mistake of the operator's: `message` explains it fully, no stack is needed. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** A variable's value if it is not blank: an empty variable counts as unset, except VAULT_KEYS. */
const read = (env: Environment, name: string): string | undefined => env[name]?.trim() || undefined;

/** @throws StartError for any argument: otherwise `--port 9000` would be ignored silently */
export function refuseArguments(words: readonly string[]): void {
  if (words.length === 0) return;
  throw new StartError(
    `npm start takes no arguments (${words.join(" ")}): set variables before it, such as PORT=9000 npm start. README.md lists them.`,
  );
}

/** @throws StartError that names the first variable that cannot be used */
export function readStartSettings(env: Environment, workingDirectory: string): StartSettings {
  for (const name of baseUrlVariables) checkUrl(name, read(env, name));
  const gpuWorkerUrls = read(env, "GPU_WORKER_URLS");
  for (const url of gpuWorkerUrls?.split(",") ?? []) checkUrl("GPU_WORKER_URLS", url.trim());
  const databaseUrl = read(env, "LIBSQL_URL");
  const ports = {
    edge: readPort(env, "PORT", 8787),
    worker: readPort(env, "WORKER_PORT", 8788),
    database: readPort(env, "DB_PORT", 8789),
  };
  refuseSharedPort([
    ["PORT", ports.edge],
    ...(gpuWorkerUrls === undefined ? [["WORKER_PORT", ports.worker] as const] : []),
    ...(databaseUrl === undefined ? [["DB_PORT", ports.database] as const] : []),
  ]);
  return {
    ports,
    dataDirectory: checkDirectory(resolve(workingDirectory, read(env, "DATA_DIR") ?? ".data")),
    outsideDatabase: databaseUrl
      ? { url: checkDatabaseUrl(databaseUrl), authToken: read(env, "LIBSQL_AUTH_TOKEN") }
      : undefined,
    gpuWorkerUrls,
    lacksDatabaseUrl: databaseUrl === undefined && read(env, "LIBSQL_AUTH_TOKEN") !== undefined,
    lacksPoolKey: read(env, "POOL_ROUTER_KEY") === "none" && read(env, "ROUTER_BASE_URL") === undefined,
    offline: ![...baseUrlVariables, "POOL_ROUTER_KEY"].some((name) => read(env, name)),
  };
}

/** esbuild's list of the console's files is no JSON where their path has a quotation mark. */
function checkDirectory(path: string): string {
  if (!path.includes('"')) return path;
  throw new StartError(`DATA_DIR ${path} has a quotation mark in its path: set it to another folder.`);
}

function readPort(env: Environment, name: string, fallback: number): number {
  const text = read(env, name);
  if (text === undefined) return fallback;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) {
    throw new StartError(`${name} is not a port: write a number from 0 to 65535 (0 is any free port).`);
  }
  return port;
}

/** Each port is found free before any part listens, so two parts with one port would both be started, and one would fail. */
function refuseSharedPort(ports: readonly (readonly [name: string, port: number])[]): void {
  for (const [index, [name, port]] of ports.entries()) {
    const [other] = ports.slice(0, index).find((earlier) => port !== 0 && earlier[1] === port) ?? [];
    if (other !== undefined)
      throw new StartError(`${other} and ${name} are both ${port}: set ${name} to another port, or to 0.`);
  }
}

function checkUrl(name: string, text: string | undefined): void {
  if (text === undefined) return;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new StartError(`${name} is not a URL: write it as https://host/path.`);
  }
  if (url.protocol === "http:" && !isLoopback(url)) {
    throw new StartError(
      `${name} uses plain http for ${url.hostname}: use https (http is accepted for loopback addresses only).`,
    );
  }
}

function checkDatabaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^(libsql|https?):$/.test(url.protocol)) {
    throw new StartError(
      "LIBSQL_URL is not a database URL: write libsql://host, https://host or http://127.0.0.1:PORT.",
    );
  }
  // The admin CLI's database is checked here alone.
  if (url.username + url.password !== "")
    throw new StartError(
      "LIBSQL_URL must hold no user name and password: put the token into LIBSQL_AUTH_TOKEN.",
    );
  if (url.protocol === "http:") checkUrl("LIBSQL_URL", text);
  return text;
}
