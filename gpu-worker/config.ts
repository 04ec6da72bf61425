/**
 * The worker's settings, read from the environment once. Every variable, its default and its range are
 * here; a bad value is one sentence for the operator, which never repeats the value (it may be a key).
 */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type ModelSize, modelSizes } from "../shared/model-sizes.ts";
import { PublicJwks, workerAudience } from "../shared/signature.ts";

const whole = (minimum: number, maximum: number) =>
  z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum, {
      error: `must be a whole number from ${minimum} to ${maximum}`,
    })
    .transform(Number);

const Sizes = z
  .string()
  .transform((text) => text.split(",").map((name) => name.trim()))
  .refine((names) => names.every((name) => modelSizes.some((size) => size === name)), {
    error: `must be a comma-separated list of ${modelSizes.join(", ")}`,
  })
  .transform((names) => [...new Set(names)] as ModelSize[]);

const keysHint =
  "must be the edge's public Ed25519 keys as a JWKS, such as " +
  '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"…"}]}: without them nobody could be let in';
const privateKeyHint =
  "holds a private key (d): a worker must hold public keys only; remove d and make a new pair";

const sharedIdHint =
  "has two different keys with one kid: the edge names its key by the kid, so one of the two would let nobody in";

const shareId = ({ keys }: PublicJwks): boolean =>
  keys.some(({ kid, x }) => kid !== undefined && keys.some((other) => other.kid === kid && other.x !== x));

const Keys = z.string({ error: keysHint }).transform((text, context): PublicJwks => {
  const jwks = PublicJwks.safeParse(parseJson(text));
  if (jwks.success && !shareId(jwks.data)) return jwks.data;
  const isPrivate = jwks.error?.issues.some((issue) => issue.path.at(-1) === "d");
  const message = jwks.success ? sharedIdHint : isPrivate ? privateKeyHint : keysHint;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const Audience = z
  .string()
  // `host:443` without https:// is a URL of the scheme `host:`, for which no request is ever signed.
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), {
    error: "must be this worker's public base URL, as GPU_WORKER_URLS has it",
  })
  .transform((text) => text.replace(/\/+$/, ""));

const Environment = z.object({
  /** Port to listen on; 0 is any free one. */
  WORKER_PORT: whole(0, 65_535).default(8788),
  /** Address to listen on: loopback unless the operator of a rented host says otherwise. */
  WORKER_HOST: z.string().default("127.0.0.1"),
  /** Public base URL. If it is set, a request signed for another worker is refused (shared/signature.ts). */
  WORKER_AUDIENCE: Audience.default(workerAudience),
  /** Folder with one checkpoint folder per size. */
  MODEL_DIR: z.string().default(fileURLToPath(new URL("./checkpoints", import.meta.url))),
  MODEL_SIZES: Sizes.default(["base"]),
  DEVICE: z.enum(["auto", "cuda", "cpu"], { error: "must be auto, cuda or cpu" }).default("auto"),
  EDGE_PUBLIC_KEYS: Keys,
  /** Threads per size: one per core, four at most. Each has its own model; two large graphs are shared (shared-graphs.ts). */
  WORKER_THREADS: whole(1, 64).default(Math.min(4, availableParallelism())),
  /** Threads inside one operator of a graph: two are faster only on an idle machine. */
  INTRA_OP_THREADS: whole(1, 256).default(1),
  /** What may wait per size, in addition to running work: requests, and estimated tokens. */
  QUEUE_MAX_REQUESTS: whole(1, 100_000).default(256),
  QUEUE_MAX_TOKENS: whole(1, 100_000_000).default(131_072),
  /** What one model run may hold: requests, and estimated tokens. A CPU gains little by more; a GPU may. */
  BATCH_MAX_REQUESTS: whole(1, 1024).default(32),
  BATCH_MAX_TOKENS: whole(1, 10_000_000).default(2048),
  /** 1 if a supervisor holds this process's stdin: the worker stops when that ends. */
  SUPERVISED: z.enum(["0", "1"], { error: "must be 0 or 1" }).default("0"),
});
type Environment = z.infer<typeof Environment>;
export const workerVariableNames: readonly string[] = Object.keys(Environment.shape);

export type WorkerConfig = {
  port: number;
  host: string;
  audience: string;
  modelDir: string;
  sizes: ModelSize[];
  device: Environment["DEVICE"];
  publicKeys: PublicJwks;
  threadsPerSize: number;
  intraOpThreads: number;
  limits: QueueLimits;
  supervised: boolean;
};
/** Tokens are estimates (task-cost.ts). */
export type QueueLimits = {
  maxQueuedRequests: number;
  maxQueuedTokens: number;
  maxBatchRequests: number;
  maxBatchTokens: number;
};

/**
 * The settings, or the sentences that say what to set. A blank variable counts as unset. White space around a value is left out: a
 * file of variables with Windows line ends leaves a CR there.
 */
export function readConfig(
  variables: Record<string, string | undefined>,
): { ok: true; config: WorkerConfig } | { ok: false; message: string } {
  const given = Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : [])),
  );
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const sentences = parsed.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}.`);
    return { ok: false, message: `gpu-worker cannot start. ${sentences.join(" ")}` };
  }
  const env = parsed.data;
  return {
    ok: true,
    config: {
      port: env.WORKER_PORT,
      host: env.WORKER_HOST,
      audience: env.WORKER_AUDIENCE,
      modelDir: env.MODEL_DIR,
      sizes: env.MODEL_SIZES,
      device: env.DEVICE,
      publicKeys: env.EDGE_PUBLIC_KEYS,
      threadsPerSize: env.WORKER_THREADS,
      intraOpThreads: env.INTRA_OP_THREADS,
      limits: {
        maxQueuedRequests: env.QUEUE_MAX_REQUESTS,
        maxQueuedTokens: env.QUEUE_MAX_TOKENS,
        maxBatchRequests: env.BATCH_MAX_REQUESTS,
        maxBatchTokens: env.BATCH_MAX_TOKENS,
      },
      supervised: env.SUPERVISED === "1",
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
