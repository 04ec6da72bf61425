/**
 * Tool call ids on this wire: `toolu_` and letters, digits, `_`, `-`. Another provider's id is wrapped so
 * that it comes back as it was, byte for byte, whatever it is made of.
 */

const ownForm = /^toolu_[\w-]+$/;
const plain = /^[\w-]+$/;
/** Before an id that is plain itself, and before one that had to be encoded (base64url of its UTF-8). */
const plainPrefix = "toolu_svc_";
const encodedPrefix = "toolu_svc64_";

/** The id a caller sees; `own` where the provider speaks this dialect and its ids need no wrapping. */
export function writeToolUseId(id: string, own: boolean): string {
  if (own && ownForm.test(id) && !isWrapped(id)) return id;
  return plain.test(id) ? plainPrefix + id : encodedPrefix + encodeText(id);
}

/** The provider's own id again; one we did not write stays as it is. */
export function readToolUseId(id: string): string {
  if (id.startsWith(plainPrefix)) return id.slice(plainPrefix.length);
  return id.startsWith(encodedPrefix) ? (decodeText(id.slice(encodedPrefix.length)) ?? id) : id;
}

/** True for an id that another provider gave. */
export const isWrapped = (id: string): boolean => id.startsWith(plainPrefix) || id.startsWith(encodedPrefix);

/** base64url of a text's UTF-8, without padding. */
export function encodeText(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Undefined where it is not what encodeText wrote. */
export function decodeText(encoded: string): string | undefined {
  try {
    const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
