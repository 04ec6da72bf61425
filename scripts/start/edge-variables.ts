/**
 * The one list of what the edge reads from its environment. `npm start` hands exactly these to workerd;
 * wrangler.toml names the same (test/scripts/start/edge-variables.test.ts compares them).
 */
export const edgeVariableNames = [
  "LIBSQL_URL",
  "LIBSQL_AUTH_TOKEN",
  "GPU_WORKER_URLS",
  "ALPHA_BASE_URL",
  "BETA_BASE_URL",
  "GAMMA_BASE_URL",
  "ROUTER_BASE_URL",
  "POOL_ROUTER_KEY",
  "VAULT_KEYS",
  "EDGE_SIGNING_KEY",
  "CORS_ORIGINS",
  "GIT_SHA",
] as const;

export type EdgeVariables = Partial<Record<(typeof edgeVariableNames)[number], string>>;
