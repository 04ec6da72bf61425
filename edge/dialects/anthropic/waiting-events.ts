/** Events of blocks that cannot be written yet, by block in order of arrival. Bounded: see maxWaitingChars. */
import { GatewayError } from "../../../shared/errors.ts";
import type { BlockEvent } from "./block-writer.ts";

/** More than any model writes beside an open tool call; only a broken provider gets there. */
const maxWaitingChars = 4 * 1024 * 1024;

export type WaitingEvents = {
  /** @throws GatewayError upstream_error past the bound */
  add(event: BlockEvent): void;
  has(block: number): boolean;
  size(): number;
  /** The events of the block that has waited longest. */
  takeBlock(): BlockEvent[];
};

export function createWaitingEvents(): WaitingEvents {
  const blocks = new Map<number, BlockEvent[]>();
  let chars = 0;
  return {
    add(event) {
      chars +=
        "text" in event ? event.text.length : event.type === "tool-call-delta" ? event.arguments.length : 64;
      if (chars > maxWaitingChars) {
        throw new GatewayError(
          "upstream_error",
          "The provider wrote too much at once beside a tool call; retry the request.",
        );
      }
      const own = blocks.get(event.block);
      if (own === undefined) blocks.set(event.block, [event]);
      else own.push(event);
    },
    has: (block) => blocks.has(block),
    size: () => blocks.size,
    takeBlock() {
      for (const [block, events] of blocks) {
        blocks.delete(block);
        return events;
      }
      return [];
    },
  };
}
