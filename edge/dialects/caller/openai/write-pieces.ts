/** Parts of a chunk's JSON that the stream's writer puts pieces of an answer between. */
import type { ChatEvent } from "../../../../shared/chat.ts";
import { readObject } from "../../json.ts";
import { detailTypes } from "../../openai-extensions.ts";

type EventOf<T extends ChatEvent["type"]> = Extract<ChatEvent, { type: T }>;

/** Everything of a chunk after the delta's own fields. */
export const end = '},"finish_reason":null}]}\n\n';

export const withLogprobs = (piece: string, data: object): string =>
  `${piece.slice(0, -end.length)}},"logprobs":${JSON.stringify(data)},"finish_reason":null}]}\n\n`;

export type Ahead = { count: number; text: string; signature?: string };

/** Arguments and seal that follow a call's start in the same batch: clients read a seal beside the name. */
export function lookAhead(
  events: readonly ChatEvent[],
  at: number,
  { choice, block }: EventOf<"tool-call-start">,
): Ahead {
  const ahead: Ahead = { count: 0, text: "" };
  for (const event of events.slice(at + 1)) {
    const ours = (event.type === "tool-call-delta" || event.type === "signature") && event.choice === choice;
    if (!ours || event.block !== block) break;
    if (event.type === "tool-call-delta") ahead.text += event.arguments;
    else ahead.signature = event.signature;
    ahead.count += 1;
  }
  return ahead;
}

export function frameReasoning(providerData: EventOf<"reasoning-delta">["providerData"], index: number) {
  const rest = readObject(providerData?.reasoning_detail);
  const summary = rest?.type === detailTypes.summary;
  const { type: _type, ...fields } = { index, ...rest, type: undefined };
  return {
    open: summary ? `{"type":"${detailTypes.summary}","summary":` : `{"type":"${detailTypes.text}","text":`,
    close: `,${JSON.stringify(fields).slice(1, -1)}`,
  };
}

/** What OpenAI-format providers say of the answer as a whole, told once more with its end. */
export function writeFacts({ providerData }: EventOf<"start">): string {
  const { service_tier: tier, system_fingerprint: fingerprint } = providerData ?? {};
  const facts = { service_tier: tier ?? undefined, system_fingerprint: fingerprint ?? undefined };
  const text = JSON.stringify(facts).slice(1, -1);
  return text === "" ? "" : `,${text}`;
}
