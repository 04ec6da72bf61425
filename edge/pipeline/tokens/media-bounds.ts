/**
 * Upper bound of the tokens of one file in a prompt, read from the file where that is safe. A bound must hold for any bytes a
 * caller makes up: a header's value is used only when a decoder has to rely on it, too.
 */
import type { FilePart, ImagePart } from "../../../shared/chat.ts";
import { decodeBase64Text, readBinary } from "../../dialects/base64.ts";

/** Gemini counts 32 tokens for a second of sound, OpenAI 10 (their guides to audio). */
const tokensPerSecond = 40;
/** MPEG layer III knows no lower bit rate than 8 kbit/s. */
const leastMp3BytesPerSecond = 1_000;
/** Tokens that a prompt's format may add around a file. */
const overhead = 128;

/** Bounds for a file that is sent as text or as a picture. */
type Bounds = { text: (text: string) => number; image: (part: ImagePart) => number };

/**
 * Infinity if only the model's window bounds the file: a URL, a provider's file id, a PDF, sound in any other format. The text of
 * a PDF is compressed and may be drawn on many pages at once, so neither its bytes nor its pages bound it. An hour of silence is
 * 6 KB of FLAC, and the tables of an MP4 may name the same bytes repeatedly.
 */
export function boundMediaTokens({ source }: FilePart, { text, image }: Bounds): number {
  if (source.kind !== "base64") return Number.POSITIVE_INFINITY;
  const { mediaType, data } = source;
  if (mediaType.startsWith("image/")) return image({ type: "image", source });
  if (mediaType.startsWith("text/")) return boundText(data, text);
  if (mediaType === "audio/wav") return boundWav(data);
  if (mediaType === "audio/mpeg") return boundMp3(data);
  return Number.POSITIVE_INFINITY;
}

/**
 * The decoded text is sent as text, and bounded as any. Each invalid UTF-8 byte has become U+FFFD, three bytes. Base64 that does not
 * decode strictly is sent as a file, and a more lenient decoder may find a PDF in it: so it has no bound.
 */
function boundText(data: string, bound: Bounds["text"]): number {
  const text = decodeBase64Text(data);
  return text === undefined ? Number.POSITIVE_INFINITY : bound(text) + overhead;
}

const byteCount = (base64: string): number => Math.ceil((base64.length * 3) / 4);

const secondsToTokens = (seconds: number): number => Math.ceil(seconds * tokensPerSecond) + overhead;

/** Sample formats with a fixed number of bytes per second: integers and floats. */
const fixedFormats: ReadonlySet<number> = new Set([1, 3]);
/** WAVE_FORMAT_EXTENSIBLE: the real format is in the header's extension, and may be a compressed one. */
const extensible = 0xfffe;
const wavHeaderChars = 64;

/** RIFF WAVE whose first chunk is `fmt `: a decoder computes the duration from the same rate and sample size. */
function boundWav(data: string): number {
  const header = readBinary(readHead(data, wavHeaderChars));
  const named = (at: number, name: string) =>
    [...name].every((char, index) => header[at + index] === char.charCodeAt(0));
  if (header.length < 46 || !named(0, "RIFF") || !named(8, "WAVE") || !named(12, "fmt "))
    return Number.POSITIVE_INFINITY;
  const view = new DataView(header.buffer);
  const tag = view.getUint16(20, true);
  const format = tag === extensible ? view.getUint16(44, true) : tag;
  // Some decoders use the block size, others channels times bits. The smaller gives the longer duration.
  const block = Math.min(
    view.getUint16(32, true),
    view.getUint16(22, true) * (view.getUint16(34, true) >> 3),
  );
  const bytesPerSecond = view.getUint32(24, true) * block;
  if (!fixedFormats.has(format) || bytesPerSecond === 0) return Number.POSITIVE_INFINITY;
  return secondsToTokens(byteCount(data) / bytesPerSecond);
}

/** If an ID3 tag is longer (it may hold cover art), the first frame is not found and there is no bound. */
const mp3HeadChars = 131_072;

/** Decoders go by the bytes, not by the media type: the lowest bit rate holds only for a file that begins with a layer III frame. */
function boundMp3(data: string): number {
  const head = readBinary(readHead(data, mp3HeadChars));
  const at = skipId3(head);
  const [first = 0, second = 0, third = 0] = head.subarray(at, at + 3);
  const isLayer3 = first === 0xff && (second & 0xe6) === 0xe2;
  const rateIndex = third >> 4;
  if (!isLayer3 || rateIndex === 0 || rateIndex === 15) return Number.POSITIVE_INFINITY;
  return secondsToTokens(byteCount(data) / leastMp3BytesPerSecond);
}

/** Where an ID3v2 tag ends: ten bytes of header, then a length of four times seven bits (id3.org/id3v2.4.0-structure). */
function skipId3(bytes: Uint8Array): number {
  if (String.fromCharCode(...bytes.subarray(0, 3)) !== "ID3") return 0;
  const size = bytes.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  return 10 + size;
}

/** The first bytes of a file, one in each character. Empty for base64 that decoders read in different ways. `chars`: a multiple of four. */
export function readHead(base64: string, chars: number): string {
  const head = base64.slice(0, chars);
  return /^[A-Za-z0-9+/]*={0,2}$/.test(head) && head.length % 4 === 0 ? atob(head) : "";
}
