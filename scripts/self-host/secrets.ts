/**
 * The secrets that a service on one machine generates: the vault's key and the key pair between edge and gpu-worker. Created
 * once, in DATA_DIR/secrets.json, readable by the owner only. A secret that the operator sets in the environment is used instead
 * and never stored.
 */
import { randomBytes } from "node:crypto";
import { chmod, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ConfigError, readVaultKeys } from "../../edge/env.ts";
import { createReplayGuard } from "../../shared/replay-guard.ts";
import {
  createSigner,
  createSigningKeys,
  createVerifier,
  PublicJwks,
  SigningJwk,
  workerAudience,
} from "../../shared/signature.ts";
import { type Environment, StartError } from "./settings.ts";

const StoredSecrets = z.object({ vaultKeys: z.string(), signingKey: SigningJwk });
type StoredSecrets = z.infer<typeof StoredSecrets>;

export type Secrets = {
  /** VAULT_KEYS; empty if the operator turned the vault off. */
  vaultKeys: string;
  /** EDGE_SIGNING_KEY: private JWK as JSON. */
  signingKey: string;
  /** EDGE_PUBLIC_KEYS: public JWKS as JSON. */
  publicKeys: string;
};

export const secretsPath = (dataDirectory: string): string => join(dataDirectory, "secrets.json");

/** @throws StartError if a stored or given secret cannot be read; its value is never in the message */
export async function readSecrets(dataDirectory: string, env: Environment): Promise<Secrets> {
  const path = secretsPath(dataDirectory);
  const stored = await readOrCreate(path);
  if (env.VAULT_KEYS === undefined) checkStoredVaultKeys(stored.vaultKeys, path);
  const givenKey = env.EDGE_SIGNING_KEY?.trim();
  const signingKey = givenKey ? parseSigningKey(givenKey) : stored.signingKey;
  if (!(await isLetIn(signingKey, publicKeysOf(signingKey))))
    throw new StartError(
      givenKey
        ? "EDGE_SIGNING_KEY: its x and d are not of one key pair; make a new one (npx node scripts/print-keys.ts), or leave it unset."
        : `${path}: the x and d of its signingKey are not of one key pair; put a new EDGE_SIGNING_KEY there (npx node scripts/print-keys.ts).`,
    );
  const publicKeys = env.EDGE_PUBLIC_KEYS?.trim()
    ? parsePublicKeys(env.EDGE_PUBLIC_KEYS)
    : publicKeysOf(signingKey);
  if (!(await isLetIn(signingKey, publicKeys)))
    throw new StartError(
      "EDGE_PUBLIC_KEYS does not hold the public key of EDGE_SIGNING_KEY (x and kid): set both as one pair, or leave it unset.",
    );
  return {
    vaultKeys: env.VAULT_KEYS ?? stored.vaultKeys,
    signingKey: JSON.stringify(signingKey),
    publicKeys: JSON.stringify(publicKeys),
  };
}

/** Operators write keys into the file (docs/operating.md). Unchecked, the edge would refuse a variable that is not set. */
function checkStoredVaultKeys(vaultKeys: string, path: string): void {
  try {
    readVaultKeys(vaultKeys);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new StartError(`${path}: ${error.message.replace("VAULT_KEYS", "vaultKeys")}.`);
  }
}

/** Whether a worker with these public keys takes what the edge signs: one that does not would refuse every request. */
async function isLetIn(signingKey: SigningJwk, publicKeys: PublicJwks): Promise<boolean> {
  const input = { audience: workerAudience, method: "POST", path: "/", body: "", now: 0 };
  try {
    const signer = await createSigner({ privateJwk: signingKey });
    const options = { jwks: publicKeys, audience: workerAudience, replay: createReplayGuard() };
    const verifier = await createVerifier(options);
    return (await verifier.verify({ ...input, token: await signer.sign({ ...input, nonce: "start" }) })).ok;
  } catch {
    // A text of the right length that is no key.
    return false;
  }
}

/** The public part of a key, which may leave the machine. */
export function publicKeysOf({ kty, crv, x, kid }: SigningJwk): PublicJwks {
  return { keys: [{ kty, crv, x, kid }] };
}

function parseSigningKey(text: string): SigningJwk {
  try {
    return SigningJwk.parse(JSON.parse(text));
  } catch {
    throw new StartError(
      "EDGE_SIGNING_KEY is not an Ed25519 private key: write it as a JWK in JSON, or leave it unset.",
    );
  }
}

function parsePublicKeys(text: string): PublicJwks {
  try {
    return PublicJwks.parse(JSON.parse(text));
  } catch {
    throw new StartError(
      'EDGE_PUBLIC_KEYS is not a JWKS of public Ed25519 keys: write {"keys":[...]}, or leave it unset.',
    );
  }
}

async function readOrCreate(path: string): Promise<StoredSecrets> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    // Any other error may be corrected by the operator: replacing the file would lose every sealed key.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return create(path);
    throw new StartError(
      `${path} cannot be opened (${(error as NodeJS.ErrnoException).code}): it holds the keys of the vault; make it readable for this user.`,
    );
  }
  try {
    return StoredSecrets.parse(JSON.parse(text));
  } catch {
    throw new StartError(
      `${path} cannot be read as secrets: restore it from a backup (sealed provider keys need it), or move it away to begin anew.`,
    );
  }
}

/**
 * A vault key and a signing key, from the system's random source. The vault key's id is random, too, so that a newly made file is
 * not mistaken for the lost one.
 */
export async function createSecrets(): Promise<StoredSecrets> {
  const { privateJwk } = await createSigningKeys();
  const id = `k-${randomBytes(6).toString("hex")}`;
  return { vaultKeys: `${id}:${randomBytes(32).toString("base64")}`, signingKey: privateJwk };
}

async function create(path: string): Promise<StoredSecrets> {
  const secrets = await createSecrets();
  await writePrivately(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/** Writes a file in one step, with mode 0600 from the first byte on. */
export async function writePrivately(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  try {
    await writeFile(draft, text, { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, path);
  } catch (error) {
    // A full disk leaves an empty file behind.
    await rm(draft, { force: true });
    throw error;
  }
}
