/**
 * The events of an answer as blocks one after the other, a call's seal before its start where the provider sends it
 * right after.
 */
import type { DialectName } from "../../../../shared/chat.ts";
import { type BlockEvent, createCallOrder } from "../../order-calls.ts";
import type { BlockSink } from "./reply-types.ts";
import { type BlockWriter, createBlockWriter } from "./write-blocks.ts";

export type BlockSequencer = Pick<BlockWriter, "said" | "notes"> & {
  /** @throws GatewayError upstream_error where the provider's events make no sequence of blocks */
  push(event: BlockEvent): void;
  /** The end of a batch: nothing is kept back for what may follow. */
  flush(): void;
  /** Closes what is open; the answer is over. */
  end(): void;
};

/** `provider`: whose answer it is. */
export function createBlockSequencer(provider: DialectName, sink: BlockSink): BlockSequencer {
  const writer = createBlockWriter(provider, sink);
  /** A call's start, kept while the event after it may be its seal, which goes before it. */
  let starting: Extract<BlockEvent, { type: "tool-call-start" }> | undefined;

  const flush = () => {
    const start = starting;
    starting = undefined;
    if (start !== undefined) writer.startTool(start);
  };
  const order = createCallOrder((event) => {
    const start = starting;
    if (start !== undefined && event.type === "signature" && event.block === start.block) {
      starting = undefined;
      return writer.startTool(start, event.signature);
    }
    flush();
    if (event.type === "tool-call-start" && provider !== "anthropic") starting = event;
    else writer.write(event);
  });

  return {
    push: order.push,
    flush,
    end() {
      order.end(() => {
        flush();
        writer.close();
      });
    },
    said: writer.said,
    notes: writer.notes,
  };
}
