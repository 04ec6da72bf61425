/**
 * What Llama 3's chat template adds to a prompt: it writes tools as JSON that is indented by four spaces, and the results of calls as JSON
 * strings. A schema of 600 levels in 3,600 bytes is 15,000 tokens there, and a control character is three. Other templates write JSON as
 * it is sent.
 */
import { comma, JsonScan } from "../../dialects/json-scan.ts";

const indents = /llama/i;

/** Levels of indentation that a token covers at least: 64 spaces. */
const levelsPerToken = 16;

/** Most tokens of the line breaks and spaces that indenting adds to a value's JSON: a line begins at each bracket and comma. */
export function boundIndentation(model: string, value: unknown): number {
  if (!indents.test(model) || value === undefined) return 0;
  const json = JSON.stringify(value);
  const scan = new JsonScan();
  let tokens = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    const depth = scan.depth;
    scan.read(code);
    const isLineBreak = scan.depth !== depth || (code === comma && !scan.inString);
    if (isLineBreak) tokens += 1 + Math.ceil(scan.depth / levelsPerToken);
  }
  return tokens;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are counted.
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g;
/** Of the six bytes of an escape such as `\u0001` one is counted with the text. */
const addedByEscape = 5;

/**
 * Most tokens that writing a text as a JSON string adds. Escapes of two characters such as `\n` add none: they are one token, as the
 * character itself is.
 */
export const boundEscapes = (model: string, text: string): number =>
  indents.test(model) ? addedByEscape * (text.match(controls)?.length ?? 0) : 0;
