/**
 * The text of a request's body, within the size bound whatever it claims to be: declared, chunked or compressed.
 * A compressed body is counted as it unfolds, so a bomb is refused at the bound and never held.
 */
import { GatewayError } from "../../shared/errors.ts";
import { type Folding, unfold } from "../stream/unfold.ts";
import { mostReadOutBytes } from "./read-out.ts";

/** 10 MiB, unfolded: room for a dozen inline images. */
export const maxBodyBytes = 10 * 1024 * 1024;

/** Content-Encoding as a client may send it; null prototype, the name comes from the request. */
const unfolders: Readonly<Record<string, Folding | "none">> = Object.assign(Object.create(null), {
  "": "none",
  identity: "none",
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
});

const tooLarge = (): GatewayError =>
  new GatewayError("request_too_large", "The request body is over 10 MiB; send less, or send images by URL.");

type Hooks = {
  /** Bodies over this are announced before more of them is read. */
  largeBytes: number;
  /** `mostBytes`: what it may come to. */
  onLarge(mostBytes: number): Promise<void>;
};

/** Throws GatewayError: request_too_large, unsupported_media_type, invalid_request. */
export async function readJsonText(request: Request, { largeBytes, onLarge }: Hooks): Promise<string> {
  const encoding = (request.headers.get("content-encoding") ?? "").trim().toLowerCase();
  const unfolder = unfolders[encoding];
  if (unfolder === undefined) {
    throw new GatewayError(
      "unsupported_media_type",
      "This Content-Encoding is not read; send the body as it is, or with gzip.",
    );
  }
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBodyBytes) throw tooLarge();
  if (request.body === null) return "";
  if (declared !== null && unfolder === "none") {
    if (Number(declared) > largeBytes) await onLarge(Number(declared));
    // A declared length is enforced by the runtime.
    return request.text();
  }
  const body = unfolder === "none" ? request.body : unfold(request.body, unfolder);
  const chunks = await readBounded(body, unfolder !== "none", { largeBytes, onLarge });
  return new Blob(chunks).text();
}

/** Keeps at most the bound; past it throws request_too_large, once the client is ready to hear it. */
async function readBounded(
  body: AsyncIterable<Uint8Array>,
  isFolded: boolean,
  { largeBytes, onLarge }: Hooks,
): Promise<Uint8Array[]> {
  // Of what unfolds nothing is read past the bound: a bomb would cost our time.
  const mostRead = isFolded ? maxBodyBytes : mostReadOutBytes;
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isLarge = false;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > mostRead) break;
      if (size <= maxBodyBytes) chunks.push(chunk);
      if (size > largeBytes && !isLarge) {
        isLarge = true;
        await onLarge(maxBodyBytes);
      }
    }
  } catch (error) {
    if (!isFolded || error instanceof GatewayError) throw error;
    throw new GatewayError(
      "invalid_request",
      "The request body does not unfold as its Content-Encoding says; send it again, or uncompressed.",
    );
  }
  if (size > maxBodyBytes) throw tooLarge();
  return chunks;
}
