/**
 * The service's API keys: `svc_sk_live_`, 256 random bits in base62 (43 digits), and a checksum of both
 * (6 digits). The checksum is CRC-32: it finds every mistyped character and every swap of neighbours, so a
 * mistyped key is refused without a database read. It proves nothing; only the stored SHA-256 does.
 */

const prefix = "svc_sk_live_";
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretLength = 43; // 62^43 > 2^256
const checksumLength = 6; // 62^6 > 2^32
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/** Writes a new key from 32 random bytes. @throws RangeError for another number of bytes. */
export function createApiKey(randomBytes: Uint8Array): string {
  if (randomBytes.length !== 32) throw new RangeError("an API key is made of 32 random bytes");
  const number = randomBytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const body = prefix + base62(number, secretLength);
  return body + checksum(body);
}

/** True for a string that can be a key of ours; says nothing about whether it was ever given out. */
export function hasValidChecksum(key: string): boolean {
  if (!shape.test(key)) return false;
  const body = key.slice(0, -checksumLength);
  return checksum(body) === key.slice(-checksumLength);
}

/** SHA-256 of the whole key, lower-case hex: the only form in which a key is stored. */
export async function hashApiKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  let hex = "";
  for (const byte of new Uint8Array(digest)) hex += hexOfByte[byte];
  return hex;
}

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
