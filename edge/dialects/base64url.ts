/** base64url without padding: what travels in ids and seals. */

export function encodeBytes(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Undefined where it is not base64url. */
export function decodeBytes(encoded: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Of a text's UTF-8. */
export const encodeText = (text: string): string => encodeBytes(new TextEncoder().encode(text));

/** Undefined where it is not what encodeText wrote. */
export function decodeText(encoded: string): string | undefined {
  const bytes = decodeBytes(encoded);
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
