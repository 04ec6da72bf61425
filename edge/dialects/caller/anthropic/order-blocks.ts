/**
 * Writes the events of an answer as consecutive blocks. If the provider sends a call's seal right after its start, the seal is
 * written before the start.
 */
import type { DialectName } from "../../../../shared/chat.ts";
import { type BlockEvent, createCallOrder } from "../../order-calls.ts";
import type { BlockSink } from "./reply-types.ts";
import { type BlockWriter, createBlockWriter } from "./write-blocks.ts";

export type BlockSequencer = Pick<BlockWriter, "said" | "notes"> & {
  /** @throws GatewayError upstream_error if the provider's events form no sequence of blocks */
  push(event: BlockEvent): void;
  /** To be called at the end of a batch: writes a call's start that was held back for its seal. */
  flush(): void;
  /** To be called at the end of the answer: closes the open block. */
  end(): void;
};

/** `provider` is the one that answers. */
export function createBlockSequencer(provider: DialectName, sink: BlockSink): BlockSequencer {
  const writer = createBlockWriter(provider, sink);
  /** A call's start, held back until the next event shows whether it is the call's seal, which goes before it. */
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
