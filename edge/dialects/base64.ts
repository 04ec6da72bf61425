/** base64, and base64url without padding. */

/** Encoded in pieces, as the number of arguments of `fromCharCode` is limited. btoa takes one character per byte. */
function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192)
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

export function encodeBase64url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * The bytes of a string returned by `atob`. Written as a loop: `Uint8Array.from` takes forty times as long, a second for the
 * largest body.
 */
export function readBinary(binary: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Undefined for a text that is not base64url. */
export function decodeBase64url(encoded: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return readBinary(atob(encoded.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return undefined;
  }
}

/** A text's UTF-8 in base64url. */
export const encodeBase64urlText = (text: string): string => encodeBase64url(new TextEncoder().encode(text));

/** Undefined for a text that encodeBase64urlText did not write. */
export function decodeBase64urlText(encoded: string): string | undefined {
  const bytes = decodeBase64url(encoded);
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A text's UTF-8 in base64. */
export const encodeBase64Text = (text: string): string => encodeBase64(new TextEncoder().encode(text));

/** Text of base64-encoded UTF-8, or undefined where it is not base64. */
export function decodeBase64Text(data: string): string | undefined {
  try {
    return new TextDecoder().decode(readBinary(atob(data)));
  } catch {
    return undefined;
  }
}
