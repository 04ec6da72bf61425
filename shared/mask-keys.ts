/** Removes keys, recognised by their form, from text that others will read: error messages, quotes, ids. */

/** Our own keys, tokens, sessions and links, and the keys of providers that people most often send to the wrong place. */
const keyShapes =
  /\b(svc_(?:sk_live|tk|ss|ln)_\w+|sk-[\w-]{6,}|AIza[\w-]{10,}|AQ\.[\w-]{20,}|gsk_\w{10,}|xai-\w{10,})/g;

/** The text with `[key]` in place of every key. */
export function maskKeys(text: string): string {
  return text.replace(keyShapes, "[key]");
}
