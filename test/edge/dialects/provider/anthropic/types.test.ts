/** What we read of Anthropic against its client's types, checked by the compiler (`npm run check`). */
import type Anthropic from "@anthropic-ai/sdk";
import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type {
  BlockDelta,
  BlockStart,
  BlockStop,
  Message,
  MessageDelta,
  MessageStart,
} from "../../../../../edge/dialects/provider/anthropic/schema.ts";
import type { Plain } from "../../plain-types.ts";

test("the schemas take what the official client says that Anthropic sends", () => {
  expectTypeOf<Plain<Anthropic.Message>>().toExtend<z.input<typeof Message>>();
  expectTypeOf<Plain<Anthropic.RawMessageStartEvent>>().toExtend<z.input<typeof MessageStart>>();
  expectTypeOf<Plain<Anthropic.RawContentBlockStartEvent>>().toExtend<z.input<typeof BlockStart>>();
  expectTypeOf<Plain<Anthropic.RawContentBlockDeltaEvent>>().toExtend<z.input<typeof BlockDelta>>();
  expectTypeOf<Plain<Anthropic.RawContentBlockStopEvent>>().toExtend<z.input<typeof BlockStop>>();
  expectTypeOf<Plain<Anthropic.RawMessageDeltaEvent>>().toExtend<z.input<typeof MessageDelta>>();
});
