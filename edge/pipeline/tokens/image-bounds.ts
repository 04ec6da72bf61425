/**
 * Upper bound of the tokens of one picture in a prompt. Most models shrink a picture before they count it; some take it in its own
 * size, where a few kilobytes of one colour may be tens of thousands of tokens. Those are bounded by the size that the
 * file's header says, which its decoder relies on too.
 */
import type { ImagePart } from "../../../shared/chat.ts";
import { readHead } from "./media-bounds.ts";

/** Most tokens of a picture that its model shrinks: Claude's come to 4,784, Gemini 3's to 2,240, GPT's to 2,500 patches. */
const shrunkTokens = 6_000;

type Rule = {
  models: RegExp;
  maxTokens: number;
  /** The model does not shrink the picture: it counts patches at the picture's own size. */
  bySize?: true;
  /** `detail` low and high shrink it nevertheless. */
  shrunkByDetail?: true;
};

/** The first rule that matches a model counts. */
const rules: readonly Rule[] = [
  // OpenAI, "Images and vision": gpt-4o-mini up to 48 k.
  { models: /gpt-4o-mini|gpt-4\.1-(mini|nano)|o4-mini/, maxTokens: 50_000 },
  // The same page: without `detail` up to 30,000 patches, each 1.2 tokens; a larger picture is refused.
  // OpenAI's `-latest` names stand for the newest at the aggregator, whichever that is.
  {
    models: /gpt-(5\.[6-9]|[6-9])|^~openai\/|gpt-chat-latest/,
    maxTokens: 36_000,
    bySize: true,
    shrunkByDetail: true,
  },
  // The same page: without `detail` shrunk to 10,000 patches.
  { models: /gpt-5\.5/, maxTokens: 12_000, bySize: true, shrunkByDetail: true },
  // `max_pixels` of their image processors: 12,845,056 by 28 x 28 and 16,777,216 by 32 x 32.
  { models: /qwen|qvq|ui-tars/, maxTokens: 16_384, bySize: true },
  // Four tiles of 1,601 (`MllamaConfig`).
  { models: /llama-3\.2-[\w-]*vision/, maxTokens: 6_500 },
  // 36 tiles of 24 x 24 patches, none merged, and a small copy (model card of MiniMax-VL-01).
  { models: /minimax-01/, maxTokens: 24_000 },
  // 36 tiles of 16 x 16 tokens, a small copy, and one more token for each row of a tile (`dynamic_hd` of its image processor).
  { models: /phi-4-multimodal/, maxTokens: 10_240 },
  // Their image processors: 6,177 tokens; 15,000 x 28 x 28 pixels over two frames.
  { models: /ernie-[\w.-]*vl|glm-[\d.]+v/, maxTokens: 7_500 },
];

/** Side of the smallest patch, in pixels, and the most tokens that one patch counts as. */
const patchSide = 28;
const tokensPerPatch = 1.2;

export function boundImageTokens(model: string, { source, detail = "auto" }: ImagePart): number {
  const rule = rules.find(({ models }) => models.test(model));
  if (rule === undefined || (rule.shrunkByDetail && detail !== "auto")) return shrunkTokens;
  const size = rule.bySize && source.kind === "base64" ? readSize(source.data) : undefined;
  if (size === undefined) return rule.maxTokens;
  const patches = Math.ceil(size.width / patchSide) * Math.ceil(size.height / patchSide);
  return Math.min(rule.maxTokens, Math.max(shrunkTokens, Math.ceil(patches * tokensPerPatch)));
}

type Size = { width: number; height: number };

/** Base64 characters read of a file. A JPEG's size comes after its metadata and colour profile. */
const headChars = 131_072;
const pngHeadChars = 32;

/** Undefined if the size cannot be relied on: another format, or base64 that decoders read in different ways. */
function readSize(data: string): Size | undefined {
  const isPng = data.startsWith("iVBORw0KGgo");
  if (!isPng && !data.startsWith("/9j/")) return undefined;
  const size = isPng ? readPngSize(readHead(data, pngHeadChars)) : readJpegSize(readHead(data, headChars));
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

/** NaN past the end of the bytes. */
const read16 = (bytes: string, at: number): number => bytes.charCodeAt(at) * 256 + bytes.charCodeAt(at + 1);
const read32 = (bytes: string, at: number): number => read16(bytes, at) * 65_536 + read16(bytes, at + 2);

const readPngSize = (bytes: string): Size | undefined =>
  bytes.slice(12, 16) === "IHDR" ? { width: read32(bytes, 16), height: read32(bytes, 20) } : undefined;

/** Walks the segments, each of which states its length, up to the first frame header. */
function readJpegSize(bytes: string): Size | undefined {
  for (let at = 2; at < bytes.length; at += 2 + read16(bytes, at + 2)) {
    if (bytes.charCodeAt(at) !== 0xff) return undefined;
    const marker = bytes.charCodeAt(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: read16(bytes, at + 5), width: read16(bytes, at + 7) };
    // Markers without a length, or the start of the pixel data: no frame header came before them.
    if (marker === 0xff || (marker >= 0xd0 && marker <= 0xda) || marker <= 0x01) return undefined;
  }
  return undefined;
}
