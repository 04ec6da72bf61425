/**
 * A text's name in a cache. A long text is replaced by its digest: 10,000 turns of a kilobyte each would take more memory than their
 * vectors.
 */
import { hash } from "node:crypto";

const maxKeyChars = 64;

export const textKey = (text: string): string =>
  text.length <= maxKeyChars ? `\n${text}` : `#${hash("sha256", text, "base64")}`;
