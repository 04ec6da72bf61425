/**
 * The secrets that callers authenticate with. An API key: `svc_sk_live_`, 256 random bits in base62 (43 digits), and a checksum
 * of both (6 digits). A token: `svc_tk_`, the second it expires at (6 digits), then the same. The checksum is CRC-32: it finds
 * every mistyped character and every swap of neighbours, so a mistyped key is refused without a database read, and so is an
 * expired token. The checksum proves nothing; only the stored SHA-256 of the whole does. Session cookies (`svc_ss_`) and sign-in
 * links (`svc_ln_`) have the form of a key.
 */
import { sha256Hex } from "../shared/hex.ts";

const prefix = "svc_sk_live_";
const tokenPrefix = "svc_tk_";
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretLength = 43; // 62^43 > 2^256
const checksumLength = 6; // 62^6 > 2^32
const secondLength = 6; // 62^6 seconds: until the year 3769
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);
const tokenShape = new RegExp(`^${tokenPrefix}[0-9A-Za-z]{${secondLength + secretLength + checksumLength}}$`);
const signInShape = new RegExp(`^svc_(?:ss|ln)_[0-9A-Za-z]{${secretLength + checksumLength}}$`);
/** The beginning of a key that is kept and shown: 4 of its 43 random digits, enough to tell an account's keys apart. */
const shownLength = prefix.length + 4;

/** Writes a new key from 32 random bytes. @throws RangeError for another number of bytes. */
export function createApiKey(randomBytes: Uint8Array): string {
  return withChecksum(prefix + randomDigits(randomBytes));
}

/** Writes a new token from 32 random bytes and the time it expires at, a whole second in Unix milliseconds. */
export function createAccessToken(randomBytes: Uint8Array, expiresAt: number): string {
  const second = base62(BigInt(Math.floor(expiresAt / 1000)), secondLength);
  return withChecksum(tokenPrefix + second + randomDigits(randomBytes));
}

/** True for a string that can be a key of ours; says nothing about whether it was ever given out. */
export function hasValidChecksum(key: string): boolean {
  return shape.test(key) && isChecked(key);
}

/** Secrets that sign people in: a session's cookie, and a link that begins a session. */
const signInSecrets = { session: "svc_ss_", link: "svc_ln_" } as const;
export type SignInSecret = keyof typeof signInSecrets;

/** Writes a sign-in secret from 32 random bytes, in the form of a key. */
export function createSignInSecret(kind: SignInSecret, randomBytes: Uint8Array): string {
  return withChecksum(signInSecrets[kind] + randomDigits(randomBytes));
}

/** True for a string that has the form of such a secret: any other is refused without a database read. */
export function isSignInSecret(kind: SignInSecret, text: string): boolean {
  return text.startsWith(signInSecrets[kind]) && signInShape.test(text) && isChecked(text);
}

/** Whether a string has a token's prefix; it need not be a valid token. */
export const isAccessToken = (text: string): boolean => text.startsWith(tokenPrefix);

/** When a string that can be a token of ours says it expires, Unix milliseconds; undefined for any other string. */
export function readTokenExpiry(token: string): number | undefined {
  if (!tokenShape.test(token) || !isChecked(token)) return undefined;
  const digits = token.slice(tokenPrefix.length, tokenPrefix.length + secondLength);
  return [...digits].reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0) * 1000;
}

/** The beginning of a key, for people to tell keys apart. */
export const showPrefix = (key: string): string => key.slice(0, shownLength);

/** SHA-256 of the whole key, lower-case hex: the only form in which a key is stored. */
export const hashApiKey = (key: string): Promise<string> => sha256Hex(key);

function randomDigits(randomBytes: Uint8Array): string {
  if (randomBytes.length !== 32) throw new RangeError("a key or token is made of 32 random bytes");
  return base62(
    randomBytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n),
    secretLength,
  );
}

const withChecksum = (body: string): string => body + checksum(body);

const isChecked = (text: string): boolean => withChecksum(text.slice(0, -checksumLength)) === text;

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), checksumLength);
}

function base62(number: bigint, length: number): string {
  let digits = "";
  for (let rest = number; digits.length < length; rest /= 62n) digits = alphabet[Number(rest % 62n)] + digits;
  return digits;
}

const crcOfByte = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

/** CRC-32 as in ISO 3309 (zip, PNG): reflected polynomial 0xEDB88320. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) crc = (crc >>> 8) ^ crcOfByte[(crc ^ byte) & 0xff]!;
  return (crc ^ 0xffffffff) >>> 0;
}
