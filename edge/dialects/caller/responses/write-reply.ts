/** A response in JSON, built from the events from which a stream would be written. */
import type { ChatEvent, DialectName, Usage } from "../../../../shared/chat.ts";
import { carryInIds } from "./item-ids.ts";
import type { Echo, ItemSink, OutputItem, ResponseBody } from "./reply-types.ts";
import { writeEnd, writeUsage } from "./write-end.ts";
import { createItemWriter, type ItemWriterOptions } from "./write-items.ts";

/** The prefix of every response's id. */
export const responseIdPrefix = "resp_";

/** What is known of a response before its answer begins. `responseIdPrefix` goes before the id. */
export type Envelope = Omit<ItemWriterOptions, "provider" | "sink"> & {
  /** Unix seconds. */
  createdAt: number;
  /** The model name as the caller sent it. */
  model: string;
  echo: Echo;
  /** The caller may send items back by their ids alone. */
  refers: boolean;
  /** Milliseconds. */
  now: () => number;
};

type Facts = Pick<ResponseBody, "status"> & Partial<ResponseBody>;

/** The response object; `facts` override the fields that it has before the answer begins. */
export function describeResponse({ id, createdAt, model, echo }: Envelope, facts: Facts): ResponseBody {
  return {
    id: `${responseIdPrefix}${id}`,
    object: "response",
    created_at: createdAt,
    completed_at: null,
    background: false,
    error: null,
    incomplete_details: null,
    model,
    output: [],
    previous_response_id: null,
    store: false,
    ...echo,
    usage: null,
    ...facts,
  };
}

export type EndFacts = { svc: object; usage?: Usage | undefined };

/** The response object of a complete answer. */
export function describeEnd(
  envelope: Envelope,
  output: OutputItem[],
  end: ReturnType<typeof writeEnd>,
  { svc, usage }: EndFacts,
): ResponseBody {
  return describeResponse(envelope, {
    ...end,
    completed_at: Math.floor(envelope.now() / 1000),
    output,
    ...(usage !== undefined && { usage: writeUsage(usage) }),
    svc,
  });
}

/** For JSON answers. */
export const nowhere: ItemSink = { event: () => {}, delta: () => {} };

/** `events` must not hold an `error` event: the caller of this function answers it with an error body. */
export async function buildResponse(
  events: readonly ChatEvent[],
  envelope: Envelope,
  facts: EndFacts & { provider: DialectName },
): Promise<ResponseBody> {
  const writer = createItemWriter({ ...envelope, provider: facts.provider, sink: nowhere });
  writer.write(events);
  const end = writeEnd(writer.said());
  writer.end(end.status === "completed" ? "completed" : "incomplete");
  const items = envelope.refers ? await carryInIds(writer.items()) : writer.items();
  return describeEnd(envelope, items, end, facts);
}
