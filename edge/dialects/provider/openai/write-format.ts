/** The response format for servers of OpenAI's format, and whether they hold an answer to it. */
import type { ChatRequest, ResponseFormat } from "../../../../shared/chat.ts";
import type { ResponseFormats } from "../../../catalog/model.ts";
import type { Omissions } from "../../omissions.ts";
import type { ProviderTarget } from "../dialect.ts";
import type { WireFlavour } from "./flavour.ts";

/** Google refuses a JSON format beside tools before Gemini 3 (ai.google.dev/gemini-api/docs/gemini-3). */
const refusesFormatWithTools = /gemini-[12]\b/;

function readHeld(
  { tools }: ChatRequest,
  { model, formats }: ProviderTarget,
  flavour: WireFlavour,
): ResponseFormats {
  if (!flavour.servesVendors) return "schema";
  if (tools.length > 0 && refusesFormatWithTools.test(model)) return "none";
  return formats ?? "schema";
}

/** Whether the server itself holds the answer to the format asked for. */
export function holdsFormat(request: ChatRequest, target: ProviderTarget, flavour: WireFlavour): boolean {
  const { responseFormat: format } = request;
  if (format === undefined || format.type === "text") return true;
  const held = readHeld(request, target, flavour);
  return held === "schema" || (held === "json" && format.type === "json");
}

/** As much of the format as the model takes; what is left out is named. */
export function encodeResponseFormat(
  request: ChatRequest,
  target: ProviderTarget,
  flavour: WireFlavour,
  omitted: Omissions,
) {
  const { responseFormat: format } = request;
  if (format === undefined || holdsFormat(request, target, flavour)) return format && encode(format);
  if (readHeld(request, target, flavour) === "json") {
    omitted.add("responseSchema");
    return encode({ type: "json" });
  }
  omitted.add("responseFormat");
  return undefined;
}

function encode(format: ResponseFormat) {
  if (format.type !== "json-schema") return { type: format.type === "json" ? "json_object" : "text" };
  const { type: _type, ...schema } = format;
  return { type: "json_schema", json_schema: schema };
}
