/**
 * Hub events as the typed events of a streamed response, numbered in order. The hot path of this dialect: a text delta is written
 * as constant strings around one `JSON.stringify` of its text.
 */
import type { ChatEvent, DialectName } from "../../../../shared/chat.ts";
import type { GatewayError } from "../../../../shared/errors.ts";
import { createCarrier } from "./item-ids.ts";
import type { ItemSink } from "./reply-types.ts";
import { writeEnd, writeFailure } from "./write-end.ts";
import { createItemWriter } from "./write-items.ts";
import { describeEnd, describeResponse, type EndFacts, type Envelope } from "./write-reply.ts";

export type ResponseStreamWriter = {
  /** response.created and response.in_progress, with the plan. */
  first(svc: object | undefined): string;
  /** Writes one batch; "" if it holds nothing for the caller. `error` events are skipped. */
  write(events: readonly ChatEvent[]): string;
  /** The end of a complete answer: closes open items, then response.completed or response.incomplete. */
  last(facts: EndFacts): Promise<string>;
  /** A failure after the first bytes, instead of `last`: `error` for clients that throw, response.failed for others. */
  error(error: GatewayError, body: object): string;
};

export function createResponseStreamWriter(envelope: Envelope, provider: DialectName): ResponseStreamWriter {
  let text = "";
  let sequence = 0;

  const sink: ItemSink = {
    event(type, fields) {
      const numbered = { type, sequence_number: sequence++, ...fields };
      text += `event: ${type}\ndata: ${JSON.stringify(numbered)}\n\n`;
    },
    delta(type, place, piece, logprobs) {
      const end = logprobs === undefined ? "" : `,"logprobs":${JSON.stringify(logprobs)}`;
      text += `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence++},${place},"delta":${JSON.stringify(piece)}${end}}\n\n`;
    },
  };
  const writer = createItemWriter({ ...envelope, provider, sink });
  const take = () => {
    const written = text;
    text = "";
    return written;
  };

  return {
    first(svc) {
      const response = describeResponse(envelope, { status: "in_progress", ...(svc && { svc }) });
      sink.event("response.created", { response });
      sink.event("response.in_progress", { response });
      return take();
    },
    write(events) {
      writer.write(events);
      return take();
    },
    async last(facts) {
      const end = writeEnd(writer.said());
      writer.end(end.status === "completed" ? "completed" : "incomplete");
      const items = writer.items();
      if (envelope.refers && items.length > 0) writer.add(await createCarrier(items));
      sink.event(`response.${end.status}`, { response: describeEnd(envelope, items, end, facts) });
      return take();
    },
    error(error, body) {
      const failure = writeFailure(error);
      sink.event("error", { ...body, code: error.code, message: error.message, param: null });
      const output = writer.items();
      const response = describeResponse(envelope, { status: "failed", error: failure, output });
      sink.event("response.failed", { response });
      return take();
    },
  };
}
