/**
 * The variables of the edge's environment: the one list of their names, and the values that `npm start` gives them. wrangler.toml
 * lists the same names (test/scripts/self-host/worker-config.test.ts compares them).
 */
import { ConfigError, readConfig } from "../../edge/env.ts";
import { identityVariables } from "../../shared/identity-providers.ts";
import { baseUrlVariables } from "../../shared/providers.ts";
import { type Environment, StartError } from "./settings.ts";

const mailVariables = ["MAIL_API_URL", "MAIL_API_KEY", "MAIL_FROM"] as const;

export const edgeVariableNames = [
  "LIBSQL_URL",
  "LIBSQL_AUTH_TOKEN",
  "GPU_WORKER_URLS",
  ...baseUrlVariables,
  "POOL_ROUTER_KEY",
  "VAULT_KEYS",
  "EDGE_SIGNING_KEY",
  "CORS_ORIGINS",
  "MESSAGES_MAX_TOKENS",
  "MAX_IN_FLIGHT_PER_KEY",
  "MAX_IN_FLIGHT_PER_ACCOUNT",
  "BODY_MEMORY_MIB",
  "TRUSTED_PROXIES",
  ...mailVariables,
  ...identityVariables,
  "SIGN_UP_CREDITS",
  "METRICS_TOKEN",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_SERVICE_NAME",
  "OTEL_TRACES_SAMPLER",
  "OTEL_TRACES_SAMPLER_ARG",
  "GIT_SHA",
] as const;

export type EdgeVariables = Partial<Record<(typeof edgeVariableNames)[number], string>>;

/** Ports of the parts that run on this machine; undefined for a part that does not. */
export type LocalPorts = { database?: number; worker?: number; responder?: number };

/** More than the Worker's default: this process shares its memory with no other isolates. */
const bodyMemoryMib = "160";

/** The operator's values, with the addresses of local parts and generated secrets added. Pure. */
export function buildEdgeVariables(
  env: Environment,
  ports: LocalPorts,
  secrets: { vaultKeys: string; signingKey: string; databaseToken: string },
  gitSha: string,
): EdgeVariables {
  const variables: EdgeVariables = { GIT_SHA: gitSha, BODY_MEMORY_MIB: bodyMemoryMib };
  for (const name of edgeVariableNames) {
    const value = env[name]?.trim();
    if (value) variables[name] = value;
  }
  // On one's own machine, sign-in codes may be written to the log: who starts the service reads it.
  if (!mailVariables.some((name) => variables[name] !== undefined)) variables.MAIL_API_URL = "log";
  if (ports.database !== undefined) {
    variables.LIBSQL_URL = loopbackUrl(ports.database);
    variables.LIBSQL_AUTH_TOKEN = secrets.databaseToken;
  }
  if (ports.worker !== undefined) variables.GPU_WORKER_URLS = loopbackUrl(ports.worker);
  if (ports.responder !== undefined) {
    variables.ROUTER_BASE_URL = loopbackUrl(ports.responder);
    variables.POOL_ROUTER_KEY = "none";
  }
  return { ...variables, VAULT_KEYS: secrets.vaultKeys, EDGE_SIGNING_KEY: secrets.signingKey };
}

/** @throws StartError that names each variable the edge refuses. Unchecked, the edge would answer 500 until the start times out */
export function checkEdgeVariables(variables: EdgeVariables): void {
  try {
    readConfig(variables);
  } catch (error) {
    throw error instanceof ConfigError ? new StartError(error.message) : error;
  }
}

const loopbackUrl = (port: number): string => `http://127.0.0.1:${port}`;
