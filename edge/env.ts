/**
 * Bindings and variables of the Worker, parsed once per isolate into one typed configuration. The only
 * reader of `env`; names and meanings are the run contract's (README, "Variables").
 */
import { base64url } from "jose";
import { z } from "zod";
import { baseUrlVariable, type ProviderKind, providerKinds } from "../shared/providers.ts";
import { readSignInSettings, type SignInSettings, signInVariables } from "./sign-in-settings.ts";
import type { Dataset } from "./telemetry/data-point.ts";
import { buildTraceSettings, type TraceSettings, traceVariables } from "./telemetry/trace-settings.ts";

/** What the runtime hands to `fetch` and `scheduled`: text bindings, and the files that `readAssets` reads. */
export type Bindings = Readonly<Record<string, string | undefined>>;

type Assets = { fetch(request: Request): Promise<Response> };

/** The console's files: static assets on Cloudflare, a folder under `npm start`; undefined where neither is bound. */
export function readAssets(bindings: object): Assets | undefined {
  return "ASSETS" in bindings ? (bindings.ASSETS as Assets) : undefined;
}

/** Where data points of requests go: a dataset of Workers Analytics Engine; undefined where none is bound. */
export function readDataset(bindings: object): Dataset | undefined {
  return "ANALYTICS" in bindings ? (bindings.ANALYTICS as Dataset) : undefined;
}

/** Whether the operator's key serves callers without a key: off, on with a key, or on with a local server that needs none. */
export type Pool = { on: false } | { on: true; key: string | undefined };

export type Config = SignInSettings & {
  database: { url: string; authToken: string | undefined };
  gpuWorkerUrls: string[];
  /** Private Ed25519 JWK that signs calls to gpu-workers. */
  signingKey: z.infer<typeof SigningKey>;
  /** Roots that replace the registry's defaults. */
  baseUrls: Partial<Record<ProviderKind, string>>;
  pool: Pool;
  /** The first key seals, each opens; empty: the vault is disabled. */
  vaultKeys: VaultKey[];
  corsOrigins: string[];
  /** Largest `max_tokens` of POST /v1/messages. */
  messagesMaxTokens: number;
  /** Most requests at once; 0 is no bound. */
  maxInFlight: { perKey: number; perAccount: number };
  /** Reverse proxies of the operator between a client and this service. */
  trustedProxies: number;
  /** Bound of the memory that large request bodies may take together. */
  bodyMemoryBytes: number;
  /** Bearer token of GET /metrics; undefined: only this machine may read it. */
  metricsToken: string | undefined;
  /** Undefined: no traces are exported. */
  traces: TraceSettings | undefined;
  gitSha: string;
};

/** A master key of the vault. */
export type VaultKey = { id: string; bytes: Uint8Array };

/** A setting that the operator must correct; the message names the variable, never its value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

const mustBeSet = "must be set";

const loopbackHosts = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** True for a URL that stays on this machine. */
export const isLoopback = (url: URL): boolean => loopbackHosts.test(url.hostname);

/** workerd's fetch leaves out credentials that stand in a URL, and Node's throws, so the other side would never see them. */
const HttpUrl = z
  .url({ protocol: /^https?$/, abort: true, error: "must be a URL such as https://host/path" })
  .refine(
    (url) => new URL(url).username + new URL(url).password === "",
    "must hold no user name and password",
  )
  .transform((url) => url.replace(/\/+$/, ""));

/** https anywhere, plain http on loopback only (secrets travel on it). */
const ServiceUrl = HttpUrl.refine((url) => new URL(url).protocol === "https:" || isLoopback(new URL(url)), {
  error: "plain http is accepted for loopback addresses only; use https",
});

/** For a URL to which paths are appended. */
const asRoot = (url: z.ZodType<string, string>) =>
  url.refine((text) => !/[?#]/.test(text), "must be a root, without ? and #");
const RootUrl = asRoot(ServiceUrl);

/** What is sent in a header. Any other character would fail each request that carries it. */
const HeaderSecret = z
  .string()
  .regex(/^[!-~]+$/, "must be visible ASCII characters, without spaces and line breaks")
  .optional();

const list = (text: string): string[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/** `*`, or an origin as browsers write it. Any other entry would silently never match. */
function readOrigin(entry: string): string | undefined {
  if (entry === "*" || entry === "null") return entry;
  const url = URL.parse(entry);
  if (url === null || entry.includes("*")) return undefined;
  // Pages of apps and extensions have schemes of their own, whose origins the URL parser does not know. It reads `localhost:3000`
  // as such a scheme, too.
  if (!/^https?:$/.test(url.protocol)) return entry.startsWith(`${url.protocol}//`) ? entry : undefined;
  return url.href === `${url.origin}/` ? url.origin : undefined;
}

const Origins = z.string().transform((text, context) => {
  const origins = list(text).map(readOrigin);
  if (!origins.includes(undefined)) return origins as string[];
  context.addIssue("must be * or origins such as https://app.example.com, comma-separated");
  return z.NEVER;
});

const SigningKey = z
  .string(mustBeSet)
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue("must be a JWK in JSON");
      return z.NEVER;
    }
  })
  .pipe(
    z.looseObject({
      kty: z.literal("OKP"),
      crv: z.literal("Ed25519"),
      d: z.string(),
      x: z.string(),
      kid: z.string().optional(),
    }),
  );

const vaultKeysShape = "must be kid:base64(32 bytes), comma-separated, each kid once";

function readVaultKey(entry: string): VaultKey | undefined {
  const [, id, text] = /^([\w-]{1,32}):([A-Za-z0-9+/_-]{43}=?)$/.exec(entry) ?? [];
  if (id === undefined || text === undefined) return undefined;
  return { id, bytes: base64url.decode(text.replace("=", "").replaceAll("+", "-").replaceAll("/", "_")) };
}

/** VAULT_KEYS; its values are never in an issue. */
const VaultKeys = z.string().transform((text, context) => {
  const keys = list(text).map(readVaultKey);
  const distinct = new Set(keys.map((key) => key?.id));
  if (!distinct.has(undefined) && distinct.size === keys.length) return keys as VaultKey[];
  context.addIssue(vaultKeysShape);
  return z.NEVER;
});

/** The master keys of a VAULT_KEYS value, for programs without the other variables. @throws ConfigError */
export function readVaultKeys(text: string): VaultKey[] {
  const parsed = VaultKeys.safeParse(text);
  if (!parsed.success) throw new ConfigError(`VAULT_KEYS ${vaultKeysShape}`);
  return parsed.data;
}

const whole = (fallback: number, minimum = 0, maximum = 9_999_999) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,7}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum,
      `must be a whole number from ${minimum} to ${maximum}`,
    )
    .default(String(fallback))
    .transform(Number);

const Variables = z.object({
  LIBSQL_URL: z
    .string(mustBeSet)
    .transform((url) => url.replace(/^libsql:/, "https:"))
    .pipe(ServiceUrl)
    .refine((url) => !url.includes("?"), "put the token into LIBSQL_AUTH_TOKEN, not into the URL"),
  LIBSQL_AUTH_TOKEN: HeaderSecret,
  GPU_WORKER_URLS: z.string(mustBeSet).transform(list).pipe(z.array(RootUrl).min(1, mustBeSet)),
  EDGE_SIGNING_KEY: SigningKey,
  POOL_ROUTER_KEY: HeaderSecret,
  VAULT_KEYS: VaultKeys.default([]),
  CORS_ORIGINS: Origins.default(["*"]),
  MESSAGES_MAX_TOKENS: whole(4_096, 1, 1_000_000),
  MAX_IN_FLIGHT_PER_KEY: whole(64),
  MAX_IN_FLIGHT_PER_ACCOUNT: whole(128),
  TRUSTED_PROXIES: whole(0),
  // An isolate of Workers has 128 MiB for everything. 0 would refuse every body and answer that claims memory.
  BODY_MEMORY_MIB: whole(72, 1),
  ...signInVariables(ServiceUrl, HeaderSecret),
  METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]{16,}$/, "must be 16 visible ASCII characters or more")
    .optional(),
  ...traceVariables(asRoot(HttpUrl)),
  GIT_SHA: z.string().default("unknown"),
  ...Object.fromEntries(providerKinds.map((kind) => [baseUrlVariable(kind), RootUrl.optional()])),
});

/** What POOL_ROUTER_KEY says. */
export const readPool = (value: string | undefined): Pool =>
  value === undefined ? { on: false } : { on: true, key: value === "none" ? undefined : value };

const wrongVariables = (wrong: readonly string[]) =>
  new ConfigError(`Set these variables right and start again: ${wrong.join("; ")}`);

/**
 * Throws ConfigError naming every variable that is missing or wrong. A blank variable counts as unset. White space around a value is
 * left out: a file of variables with Windows line ends leaves a CR there.
 */
export function readConfig(bindings: Bindings): Config {
  const given = Object.entries<unknown>(bindings)
    // Bindings that are not variables, such as the console's files, are objects. A number stands in wrangler.toml without quotation marks.
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .map(([name, value]) => [name, String(value).trim()])
    .filter(([, value]) => value !== "");
  const parsed = Variables.safeParse(Object.fromEntries(given));
  if (!parsed.success)
    throw wrongVariables(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`));
  const variables = parsed.data;
  const { problems, ...signIn } = readSignInSettings(variables);
  if (problems.length > 0) throw wrongVariables(problems);
  const baseUrls: Partial<Record<ProviderKind, string>> = {};
  for (const kind of providerKinds) {
    const url: unknown = (variables as Record<string, unknown>)[baseUrlVariable(kind)];
    if (typeof url === "string") baseUrls[kind] = url;
  }
  return {
    database: { url: variables.LIBSQL_URL, authToken: variables.LIBSQL_AUTH_TOKEN },
    gpuWorkerUrls: variables.GPU_WORKER_URLS,
    signingKey: variables.EDGE_SIGNING_KEY,
    baseUrls,
    pool: readPool(variables.POOL_ROUTER_KEY),
    vaultKeys: variables.VAULT_KEYS,
    corsOrigins: variables.CORS_ORIGINS,
    messagesMaxTokens: variables.MESSAGES_MAX_TOKENS,
    maxInFlight: {
      perKey: variables.MAX_IN_FLIGHT_PER_KEY,
      perAccount: variables.MAX_IN_FLIGHT_PER_ACCOUNT,
    },
    trustedProxies: variables.TRUSTED_PROXIES,
    bodyMemoryBytes: variables.BODY_MEMORY_MIB * 1024 * 1024,
    ...signIn,
    metricsToken: variables.METRICS_TOKEN,
    traces: buildTraceSettings(variables),
    gitSha: variables.GIT_SHA,
  };
}
