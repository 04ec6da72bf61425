/** Names and values as parts of a regular expression. */

/** A text whose signs match themselves. */
export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
