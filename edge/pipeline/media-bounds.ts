/**
 * Upper bound of the tokens of one file in a prompt, read from the file where that is safe. A bound must hold for any bytes a
 * caller makes up: a header's value is used only when a decoder has to rely on it, too.
 */
import type { FilePart, ImagePart } from "../../shared/chat.ts";

/** Gemini counts 32 tokens for a second of sound, OpenAI 10 (their guides to audio). */
const tokensPerSecond = 40;
/** MPEG layer III knows no lower bit rate than 8 kbit/s. */
const leastMp3BytesPerSecond = 1_000;
/** What stands around a file in a prompt. */
const overhead = 128;

/**
 * Infinity where only the model's window bounds it: a URL, a provider's file id, a PDF. The text of a PDF is
 * compressed and may stand on many pages at once, so neither its bytes nor its pages bound it.
 */
export function boundMediaTokens({ source }: FilePart, image: (part: ImagePart) => number): number {
  if (source.kind !== "base64") return Number.POSITIVE_INFINITY;
  const { mediaType, data } = source;
  if (mediaType.startsWith("image/")) return image({ type: "image", source });
  if (mediaType.startsWith("text/")) return byteCount(data) + overhead;
  if (mediaType === "audio/wav") return boundWav(data);
  if (mediaType === "audio/mpeg") return secondsToTokens(byteCount(data) / leastMp3BytesPerSecond);
  return mediaType.startsWith("audio/") ? data.length : Number.POSITIVE_INFINITY;
}

const byteCount = (base64: string): number => Math.ceil((base64.length * 3) / 4);

const secondsToTokens = (seconds: number): number => Math.ceil(seconds * tokensPerSecond) + overhead;

/** Sample formats in which a second has a fixed size: whole numbers, floats, and either in the newer header. */
const fixedFormats: ReadonlySet<number> = new Set([1, 3, 0xfffe]);
const headerChars = 64;

/** RIFF WAVE whose first chunk is `fmt `: a decoder makes seconds of bytes by this very rate and block size. */
function boundWav(data: string): number {
  const header = readBytes(data.slice(0, headerChars));
  const named = (at: number, name: string) =>
    [...name].every((char, index) => header[at + index] === char.charCodeAt(0));
  if (header.length < 44 || !named(0, "RIFF") || !named(8, "WAVE") || !named(12, "fmt ")) return data.length;
  const view = new DataView(header.buffer);
  const bytesPerSecond = view.getUint32(24, true) * view.getUint16(32, true);
  if (!fixedFormats.has(view.getUint16(20, true)) || bytesPerSecond === 0) return data.length;
  return Math.min(data.length, secondsToTokens(byteCount(data) / bytesPerSecond));
}

function readBytes(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
