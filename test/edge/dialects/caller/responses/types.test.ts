/**
 * Our wire types against the official client's: checked by the compiler (`npm run check`). What a response says again
 * of its request is the caller's own, and is left out.
 */
import type OpenAI from "openai";
import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type {
  CompactionBody,
  Echo,
  OutputItem,
  ResponseBody,
  ResponseUsage,
} from "../../../../../edge/dialects/caller/responses/reply-types.ts";
import type { ResponsesRequest } from "../../../../../edge/dialects/caller/responses/schema.ts";
import type { Plain } from "../../plain-types.ts";

/** Required here: this service has no other place for them. */
type Sent = Omit<OpenAI.Responses.ResponseCreateParams, "model" | "input"> &
  Required<Pick<OpenAI.Responses.ResponseCreateParams, "model" | "input">>;

test("what the official client sends is a request of ours", () => {
  expectTypeOf<Plain<Sent>>().toExtend<z.input<typeof ResponsesRequest>>();
});

test("our response is what the official client reads", () => {
  /** `output_text` is the client's own; `usage` is null until the end, as OpenAI sends it. */
  type Read = Omit<OpenAI.Responses.Response, keyof Echo | "output_text" | "usage" | "error">;
  expectTypeOf<Omit<ResponseBody, keyof Echo | "usage" | "error">>().toExtend<Read>();
  expectTypeOf<ResponseUsage>().toExtend<OpenAI.Responses.ResponseUsage>();
  expectTypeOf<OutputItem>().toExtend<OpenAI.Responses.ResponseOutputItem>();
});

test("our compaction is what the official client reads", () => {
  /** Its types know no message of the user in an output, which OpenAI sends. `usage` is null where no provider said any. */
  expectTypeOf<Omit<CompactionBody, "usage" | "output">>().toExtend<
    Omit<OpenAI.Responses.CompactedResponse, "usage" | "output">
  >();
});
