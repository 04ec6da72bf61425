/** A chat completion in JSON, built from the events from which a stream would be written. */
import type { ChatEvent, ProviderData, Usage } from "../../../../shared/chat.ts";
import { readTier, type ServiceTier } from "../../openai-extensions.ts";
import { type AnswerChoice, collectChoice } from "./collect-choice.ts";
import type { CustomTools } from "./write-calls.ts";
import { type CompletionUsage, writeUsage } from "./write-end.ts";

export type ChatCompletion = {
  id: string;
  object: "chat.completion";
  /** Unix seconds. */
  created: number;
  model: string;
  choices: AnswerChoice[];
  usage?: CompletionUsage;
  service_tier?: ServiceTier;
  system_fingerprint: string | null;
  svc?: object;
};

/** What is known of a completion before its answer begins. */
export type Envelope = {
  id: string;
  /** Unix seconds. */
  created: number;
  /** The model name as the caller sent it. */
  model: string;
  customTools?: CustomTools;
};

/** `usage`: by default the last that the events report. */
type Facts = Envelope & { svc?: object; usage?: Usage | undefined };

/**
 * The body of an answer, with choices in order of their index. `events` must not hold an `error` event: the caller of this
 * function answers it with an error body.
 */
export function buildChatCompletion(events: readonly ChatEvent[], facts: Facts): ChatCompletion {
  const byChoice = new Map<number, Extract<ChatEvent, { choice: number }>[]>();
  let { usage } = facts;
  let said: ProviderData = {};
  for (const event of events) {
    if (event.type === "start") said = { ...said, ...event.providerData };
    else if (event.type === "usage") usage = facts.usage ?? event.usage;
    else if (event.type !== "error") {
      const own = byChoice.get(event.choice);
      if (own === undefined) byChoice.set(event.choice, [event]);
      else own.push(event);
    }
  }
  const { system_fingerprint: fingerprint, moderation } = said;
  const tier = readTier(said.service_tier);
  return {
    id: facts.id,
    object: "chat.completion",
    created: facts.created,
    model: facts.model,
    choices: [...byChoice]
      .sort(([left], [right]) => left - right)
      .map(([index, own]) => collectChoice(index, own, facts.customTools)),
    ...(usage !== undefined && { usage: writeUsage(usage) }),
    ...(tier !== undefined && { service_tier: tier }),
    // OpenRouter's client refuses an answer that leaves it out.
    system_fingerprint: typeof fingerprint === "string" ? fingerprint : null,
    ...(moderation !== undefined && { moderation }),
    ...(facts.svc !== undefined && { svc: facts.svc }),
  };
}
