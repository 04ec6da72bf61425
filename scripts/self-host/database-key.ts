/**
 * Access to the embedded database: a token, signed by a key that is made anew at each start. Without it sqld answers anybody who
 * reaches its port and allows every origin, so any web page in a browser on this machine could read it, and write credit into it.
 */
import { exportJWK, generateKeyPair, SignJWT } from "jose";

export type DatabaseKey = {
  /** The public key with which sqld checks the token: raw Ed25519 in base64url. */
  publicKey: string;
  /** Sent with every request to the database. */
  authToken: string;
};

const algorithm = "EdDSA";

export async function createDatabaseKey(): Promise<DatabaseKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm);
  const { x } = await exportJWK(publicKey);
  return {
    publicKey: x!,
    authToken: await new SignJWT({ a: "rw" }).setProtectedHeader({ alg: algorithm }).sign(privateKey),
  };
}
