/**
 * Signs and verifies one request from the edge to a gpu-worker: a JWT (RFC 7519, EdDSA of RFC 8037) that binds audience, method,
 * path, body and a nonce for 30 seconds. The worker holds only public keys, so a rented host can check requests but not forge
 * them. Clock and nonce are arguments.
 */
import {
  base64url,
  CompactSign,
  type CryptoKey,
  calculateJwkThumbprint,
  compactVerify,
  exportJWK,
  generateKeyPair,
  importJWK,
} from "jose";
import { z } from "zod";
import type { ReplayGuard } from "./replay-guard.ts";

/** Life of a token, seconds. */
const signatureLifetimeSeconds = 30;

/**
 * The audience that every gpu-worker accepts. A token's audience is a list: this name and the base URL that the edge calls. A
 * worker that knows its public URL (WORKER_AUDIENCE) demands that URL, so a request captured at one host is refused by another. A
 * worker that cannot know it (behind a tunnel or NAT) demands this name, and within 30 s a captured request could be run once
 * more at another such worker. That reveals nothing, since planning is pure and the attacker has read the request already; it
 * costs one planning.
 */
export const workerAudience = "svc-gpu-worker";

const PublicJwk = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string().length(43),
  kid: z.string().min(1).max(128).optional(),
});
/** EDGE_SIGNING_KEY: an Ed25519 private key as a JWK (RFC 8037). */
export const SigningJwk = PublicJwk.extend({ d: z.string().length(43) });
export type SigningJwk = z.infer<typeof SigningJwk>;
/** EDGE_PUBLIC_KEYS: one key, or two during a rotation. A set that holds a private key is refused. */
export const PublicJwks = z.object({
  keys: z
    .array(
      PublicJwk.extend({
        d: z.undefined({ error: "a private key (d) is in the public key set" }).optional(),
      }),
    )
    .min(1)
    .max(16),
});
export type PublicJwks = z.infer<typeof PublicJwks>;

const Header = z.object({ alg: z.literal("EdDSA"), kid: z.string() });
/** What a token binds. `htm` and `htu` as DPoP (RFC 9449) names them, except that `htu` is only the path. */
const Claims = z.object({
  aud: z.union([z.string(), z.array(z.string()).max(8)]),
  iat: z.number(),
  exp: z.number(),
  jti: z.string().min(1).max(128),
  htm: z.string(),
  htu: z.string(),
  /** SHA-256 of the body's bytes, base64url. */
  bsh: z.string(),
  /** The account's pseudonym, by which a worker gives each account its share: the same for all its requests. */
  sub: z.string().max(64).default(""),
});
type Claims = z.infer<typeof Claims>;

export type SignInput = {
  audience: string | string[];
  method: string;
  /** Path below the worker's base URL, such as "/plan". */
  path: string;
  body: Uint8Array | string;
  /** Milliseconds since the epoch. */
  now: number;
  /** At least 128 random bits as text, never used before. */
  nonce: string;
  /** The account's pseudonym; requests without one count as those of one account. */
  share?: string;
};
export type Signer = { sign(input: SignInput): Promise<string> };

export type VerifyRefusal =
  | "malformed"
  | "unknown-key"
  | "bad-signature"
  | "wrong-audience"
  | "wrong-method"
  | "wrong-path"
  | "wrong-body"
  | "wrong-lifetime"
  | "expired"
  | "not-yet-valid"
  | "replayed"
  | "replay-guard-full";
/** `reason` is for the operator's log and metrics; the worker's caller never sees it. */
type Verdict<Value> = { ok: true; value: Value } | { ok: false; reason: VerifyRefusal };

type VerifyHeadInput = { token: string; method: string; path: string; now: number };
/** What is known before the body is read: key, signature, audience, method, path and times of the token are valid. */
export type VerifiedHead = { nonce: string; bodyHash: string; expiresAtMs: number; share: string };
export type Verifier = {
  /** Checks everything but the body, so that a stranger's body need not be read. Does not use up the nonce. */
  verifyHead(input: VerifyHeadInput): Promise<Verdict<VerifiedHead>>;
  /** Checks the time again and the body, then uses up the nonce. */
  verifyBody(head: VerifiedHead, body: Uint8Array | string, now: number): Promise<Verdict<VerifiedHead>>;
  /** Both checks. Never throws. */
  verify(input: VerifyHeadInput & { body: Uint8Array | string }): Promise<Verdict<VerifiedHead>>;
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const maxTokenLength = 4096;

async function hashByWebCrypto(body: Uint8Array | string): Promise<string> {
  const bytes = typeof body === "string" ? encoder.encode(body) : (body as Uint8Array<ArrayBuffer>);
  return base64url.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Imports the key once; `kid` is the JWK's own, else its RFC 7638 thumbprint. Throws on a bad key. */
export async function createSigner({ privateJwk }: { privateJwk: SigningJwk }): Promise<Signer> {
  const { kty, crv, x, d } = privateJwk;
  const key = await importJWK({ kty, crv, x, d }, "EdDSA");
  const header = {
    alg: "EdDSA",
    typ: "JWT",
    kid: privateJwk.kid ?? (await calculateJwkThumbprint({ kty, crv, x })),
  };
  return {
    async sign({ audience, method, path, body, now, nonce, share = "" }) {
      const iat = Math.floor(now / 1000);
      const claims: Claims = {
        aud: audience,
        iat,
        exp: iat + signatureLifetimeSeconds,
        jti: nonce,
        htm: method,
        htu: path,
        bsh: await hashByWebCrypto(body),
        sub: share,
      };
      return new CompactSign(encoder.encode(JSON.stringify(claims))).setProtectedHeader(header).sign(key);
    },
  };
}

/** What is wrong with the claims of a token with a valid signature, if anything. Pure. */
function judgeClaims(
  claims: Claims,
  expected: { audience: string; method: string; path: string; now: number; maxClockSkewMs: number },
): VerifyRefusal | undefined {
  const audiences = typeof claims.aud === "string" ? [claims.aud] : claims.aud;
  const lifetimeSeconds = claims.exp - claims.iat;
  if (!audiences.includes(expected.audience)) return "wrong-audience";
  if (claims.htm !== expected.method) return "wrong-method";
  if (claims.htu !== expected.path) return "wrong-path";
  if (!(lifetimeSeconds > 0 && lifetimeSeconds <= signatureLifetimeSeconds)) return "wrong-lifetime";
  if (claims.iat * 1000 > expected.now + expected.maxClockSkewMs) return "not-yet-valid";
  if (claims.exp * 1000 <= expected.now - expected.maxClockSkewMs) return "expired";
  return undefined;
}

function readHeader(token: string): { kid: string } | undefined {
  try {
    const header: unknown = JSON.parse(decoder.decode(base64url.decode(token.slice(0, token.indexOf(".")))));
    return Header.safeParse(header).data;
  } catch {
    return undefined;
  }
}

/**
 * Imports the keys once. `audience` is the one name this worker demands (see `workerAudience`), `maxClockSkewMs` how far the two clocks
 * may be apart, `hashBody` the runtime's own SHA-256 in base64url. Throws on a bad key set, never afterwards.
 */
export async function createVerifier(options: {
  jwks: PublicJwks;
  audience: string;
  replay: ReplayGuard;
  maxClockSkewMs?: number;
  hashBody?: (body: Uint8Array | string) => Promise<string> | string;
}): Promise<Verifier> {
  const { audience, replay, maxClockSkewMs = 5_000, hashBody = hashByWebCrypto } = options;
  const keys = new Map<string, CryptoKey>();
  for (const { kty, crv, x, kid } of options.jwks.keys) {
    keys.set(
      kid ?? (await calculateJwkThumbprint({ kty, crv, x })),
      await importJWK({ kty, crv, x }, "EdDSA"),
    );
  }

  const verifier: Verifier = {
    async verifyHead({ token, method, path, now }) {
      if (token.length > maxTokenLength) return { ok: false, reason: "malformed" };
      const header = readHeader(token);
      if (!header) return { ok: false, reason: "malformed" };
      const key = keys.get(header.kid);
      if (!key) return { ok: false, reason: "unknown-key" };
      const payload = await compactVerify(token, key, { algorithms: ["EdDSA"] }).then(
        (verified) => verified.payload,
        () => undefined,
      );
      if (!payload) return { ok: false, reason: "bad-signature" };
      const claims = readClaims(payload);
      if (!claims) return { ok: false, reason: "malformed" };
      const reason = judgeClaims(claims, { audience, method, path, now, maxClockSkewMs });
      if (reason) return { ok: false, reason };
      return {
        ok: true,
        value: {
          nonce: claims.jti,
          bodyHash: claims.bsh,
          expiresAtMs: claims.exp * 1000 + maxClockSkewMs,
          share: claims.sub,
        },
      };
    },
    async verifyBody(head, body, now) {
      // A body may take long to arrive, and the guard forgets an expired nonce.
      if (head.expiresAtMs <= now) return { ok: false, reason: "expired" };
      if ((await hashBody(body)) !== head.bodyHash) return { ok: false, reason: "wrong-body" };
      const admitted = replay.admit({ nonce: head.nonce, expiresAtMs: head.expiresAtMs, now });
      if (admitted === "fresh") return { ok: true, value: head };
      return { ok: false, reason: admitted === "seen" ? "replayed" : "replay-guard-full" };
    },
    async verify({ body, ...input }) {
      const head = await verifier.verifyHead(input);
      return head.ok ? verifier.verifyBody(head.value, body, input.now) : head;
    },
  };
  return verifier;
}

function readClaims(payload: Uint8Array): Claims | undefined {
  try {
    return Claims.safeParse(JSON.parse(decoder.decode(payload))).data;
  } catch {
    return undefined;
  }
}

/** A fresh pair: the private JWK for the edge, the public set for its workers. `kid` is the thumbprint. */
export async function createSigningKeys(): Promise<{ privateJwk: SigningJwk; publicJwks: PublicJwks }> {
  const pair = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const { x, d } = SigningJwk.parse(await exportJWK(pair.privateKey));
  const kid = await calculateJwkThumbprint({ kty: "OKP", crv: "Ed25519", x });
  const publicJwk = { kty: "OKP", crv: "Ed25519", x, kid } as const;
  return { privateJwk: { ...publicJwk, d }, publicJwks: { keys: [publicJwk] } };
}
