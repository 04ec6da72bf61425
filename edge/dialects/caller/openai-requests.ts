/** What callers of OpenAI's two APIs, chat completions and Responses, write alike: efforts, formats, pictures, audio, files. */
import { z } from "zod";
import type { FilePart, ImagePart, ResponseFormat } from "../../../shared/chat.ts";
import { efforts } from "../efforts.ts";
import { plainMediaType, resolveMediaSource } from "../inline-media.ts";
import { type JsonObject, present } from "../json.ts";

export const EffortInput = z.enum(efforts).nullish();
export const ImageDetail = z.enum(["auto", "low", "high", "original"]).nullish();
export const RefusalContent = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });
export const AudioContent = z.looseObject({
  type: z.literal("input_audio"),
  input_audio: z.looseObject({ data: z.string().min(1), format: z.string().min(1) }),
});

/** A response format. Chat completions have these fields of a schema in an object of their own. */
type FormatInput =
  | { type: "text" | "json_object" }
  | ({ type: "json_schema" } & {
      name: string;
      schema?: JsonObject | null | undefined;
      description?: string | null | undefined;
      strict?: boolean | null | undefined;
    });
export const schemaFields = ["name", "schema", "description", "strict"];

export function readFormat(format: FormatInput): ResponseFormat {
  if (format.type !== "json_schema") return { type: format.type === "text" ? "text" : "json" };
  const { name, schema, description, strict } = format;
  return { type: "json-schema", name, schema: schema ?? {}, ...present({ description, strict }) };
}

export const readImage = (url: string, detail: z.infer<typeof ImageDetail>): ImagePart => ({
  type: "image",
  source: resolveMediaSource({ kind: "url", url }),
  ...(detail && { detail }),
});

export const readAudio = ({ data, format }: z.infer<typeof AudioContent>["input_audio"]): FilePart => ({
  type: "file",
  source: { kind: "base64", mediaType: plainMediaType(`audio/${format}`), data },
});

type Given = string | null | undefined;

/** `given`: a data URL or, from some clients, an https URL or the bare base64 of a PDF. */
export function readFileSource(given: Given, id: Given): FilePart["source"] {
  if (!given) return { kind: "id", id: id ?? "" };
  if (/^(data|https?):/i.test(given)) return resolveMediaSource({ kind: "url", url: given });
  return { kind: "base64", mediaType: "application/pdf", data: given };
}
