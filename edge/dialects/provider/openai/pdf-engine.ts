/**
 * By what the aggregator is to read documents. Where nobody says, a model that reads none has them read by
 * mistral-ocr, at $2 per 1,000 pages beside the tokens: no hold of ours covers that, so on the operator's key the
 * engine is always named (openrouter.ai/docs/guides/overview/multimodal/pdfs).
 */
import { readList, readObject } from "../../json.ts";
import type { EncodedRequest, ProviderTarget } from "../dialect.ts";

/** A document, or what its caller calls a picture and is none. */
function isDocument(part: unknown): boolean {
  const { type, image_url: image } = readObject(part) ?? {};
  const url = readObject(image)?.url;
  return type === "file" || (typeof url === "string" && /^data:(?!image\/)/i.test(url));
}

/** The request with the engine for its documents named, where the target has one and a document travels. */
export function namePdfEngine(encoded: EncodedRequest, { pdfEngine }: ProviderTarget): EncodedRequest {
  if (pdfEngine === undefined) return encoded;
  const messages = readList(encoded.body.messages);
  if (!messages.some((message) => readList(readObject(message)?.content).some(isDocument))) return encoded;
  const plugins = [{ id: "file-parser", pdf: { engine: pdfEngine } }];
  return { ...encoded, body: { ...encoded.body, plugins } };
}
