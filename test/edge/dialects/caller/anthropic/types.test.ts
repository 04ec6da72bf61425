/**
 * Our wire types against the official client's: checked by the compiler (`npm run check`). Blocks that only
 * Anthropic writes are passed on as they came, so their types are its own.
 */
import type Anthropic from "@anthropic-ai/sdk";
import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type {
  AnswerBlock,
  Message,
  MessageStop,
  MessageUsage,
} from "../../../../../edge/dialects/caller/anthropic/reply-types.ts";
import type {
  CountTokensRequest,
  MessagesRequest,
} from "../../../../../edge/dialects/caller/anthropic/schema.ts";
import type { MessagesErrorBody } from "../../../../../edge/dialects/caller/anthropic/write-error.ts";
import type { Plain } from "../../plain-types.ts";

type Messages = typeof Anthropic.prototype.messages;
type Sent = Parameters<Messages["create"]>[0];
type Counted = Parameters<Messages["countTokens"]>[0];
/** `svc` is ours alone. */
type Taken = Omit<z.input<typeof MessagesRequest>, "svc">;

test("what the official client sends is a request of ours", () => {
  expectTypeOf<Plain<Sent>>().toExtend<Taken>();
  expectTypeOf<Plain<Counted>>().toExtend<z.input<typeof CountTokensRequest>>();
});

test("our message is what the official client reads", () => {
  expectTypeOf<Message>().toExtend<Anthropic.Message>();
  expectTypeOf<MessageUsage>().toExtend<Anthropic.Usage>();
  expectTypeOf<MessagesErrorBody>().toExtend<{ type: "error"; error: { type: string; message: string } }>();
});

test("our stream's events are what the official client reads", () => {
  type Event = Anthropic.MessageStreamEvent;
  type Start = { type: "message_start"; message: Omit<Message, "stop_reason"> & { stop_reason: null } };
  expectTypeOf<Start>().toExtend<Event>();
  expectTypeOf<{
    type: "content_block_start";
    index: number;
    content_block: AnswerBlock;
  }>().toExtend<Event>();
  expectTypeOf<{ type: "message_delta"; delta: MessageStop; usage: MessageUsage }>().toExtend<Event>();
});
