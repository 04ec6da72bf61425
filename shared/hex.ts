/** Lower-case hexadecimal digits: of bytes, of a digest, of an id. */

const digitsOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Two digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += digitsOfByte[byte];
  return hex;
}

/** The digest of a text's UTF-8: 64 digits. */
export async function sha256Hex(text: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

/**
 * What follows the prefix of our ids (`acct_`, `key_`, `req_`): 32 hexadecimal digits, 122 of their bits random. The edge takes it as an
 * argument, the commands call it.
 */
export const randomId = (): string => crypto.randomUUID().replaceAll("-", "");
