/** This service's own fields in a body of any dialect, its own header, and what a body asks for once it is read. */
import { z } from "zod";
import type { ChatRequest } from "../../../shared/chat.ts";
import { GatewayError } from "../../../shared/errors.ts";
import { present } from "../json.ts";

/** Strict, so that a misspelt option is an error. */
export const SvcOptions = z
  .strictObject({
    plan: z.enum(["off", "on"]).nullish(),
    max_llm_calls: z.int().min(2).max(10).nullish(),
  })
  .nullish();

/** Each model tried may take a provider's whole timeout. */
const maxFallbacks = 8;

/** Names of our models to try next when `model` fails (OpenRouter's convention). */
export const FallbackModels = z.array(z.string().min(1)).max(maxFallbacks).nullish();

export type AskedChat = {
  /** The model name as the caller wrote it, and those to try next when its provider fails. */
  model: string;
  fallbacks: readonly string[];
  request: ChatRequest;
  /** `maxLlmCalls` is 2 to 10. */
  svc: { plan: "on" | "off"; maxLlmCalls?: number };
};

type OwnFields = {
  model: string;
  models?: z.infer<typeof FallbackModels>;
  svc?: z.infer<typeof SvcOptions>;
};

/** `request`: the rest of the body, in the hub's words. */
export function toAskedChat({ model, models, svc }: OwnFields, request: ChatRequest): AskedChat {
  const { plan, max_llm_calls: maxLlmCalls } = svc ?? {};
  return {
    model,
    fallbacks: models ?? [],
    request,
    svc: { plan: plan ?? "on", ...present({ maxLlmCalls }) },
  };
}

/**
 * `x-svc-plan: off` does what `svc: {plan: "off"}` does, for clients that cannot add fields to the body. As there, any other value is an
 * error: if `false` were ignored, the LLM would get the plan although the caller had refused it. Throws validation_error.
 */
export function refusesPlan(headers: Headers): boolean {
  const value = headers.get("x-svc-plan")?.trim().toLowerCase() ?? "";
  if (["", "on", "off"].includes(value)) return value === "off";
  const line = "x-svc-plan: must be on or off";
  throw new GatewayError("validation_error", `Change this header and send the request again: ${line}`, {
    details: [line],
  });
}
