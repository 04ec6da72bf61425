/**
 * A reader of /v1/messages streams that shares no code with the gateway: frames to events, the order
 * Anthropic documents, and the message they add up to. Pure: runs in Node and in workerd.
 */

export type StreamEvent = { type: string } & Record<string, unknown>;
type Block = { type: string } & Record<string, unknown>;
export type FoldedMessage = {
  content: Block[];
  stopReason: unknown;
  usage: Record<string, unknown>;
  error: { type: string; message: string } | undefined;
};

/** @throws Error for a frame that is neither a comment nor a named event with one line of JSON */
export function parseFrames<Event extends StreamEvent = StreamEvent>(text: string): Event[] {
  const frames = text.split("\n\n");
  if (frames.pop() !== "") throw new Error("the stream ends inside a frame");
  return frames.flatMap((frame) => {
    if (frame.startsWith(":")) return [];
    const [, name, data] = /^event: ([\w.]+)\ndata: ([^\n]*)$/.exec(frame) ?? [];
    if (name === undefined || data === undefined) throw new Error(`not an event: ${frame}`);
    const event = JSON.parse(data) as Event;
    if (event.type !== name) throw new Error(`event ${name} calls itself ${event.type}`);
    return [event];
  });
}

/** Which deltas a block takes, by its type; server tools' are like a tool_use. */
const deltasOf: Readonly<Record<string, string[]>> = {
  text: ["text_delta", "citations_delta"],
  thinking: ["thinking_delta", "signature_delta"],
  tool_use: ["input_json_delta"],
  compaction: ["compaction_delta"],
};

/** What of the order is broken, in words; an empty list is a stream every client can read. */
export function findOrderBreaks(events: readonly StreamEvent[]): string[] {
  const breaks: string[] = [];
  let open: { index: number; type: string } | undefined;
  let next = 0;
  let phase: "before" | "blocks" | "delta" | "over" = "before";
  for (const [at, event] of events.entries()) {
    const say = (text: string) => breaks.push(`${at} ${event.type}: ${text}`);
    if (phase === "over") say("comes after the end");
    if (event.type === "ping") continue;
    if (event.type === "error") {
      phase = "over";
      continue;
    }
    if (event.type === "message_start") {
      if (phase !== "before") say("is not the first");
      phase = "blocks";
      continue;
    }
    if (phase === "before") say("comes before message_start");
    if (event.type === "content_block_start") {
      if (phase !== "blocks") say("comes after message_delta");
      if (open !== undefined) say(`starts while ${open.index} is open`);
      if (event.index !== next) say(`has index ${event.index}, not ${next}`);
      open = { index: next, type: (event.content_block as Block).type };
      next += 1;
    } else if (event.type === "content_block_delta") {
      const { type } = event.delta as { type: string };
      if (open?.index !== event.index) say(`is for ${event.index}, open is ${open?.index}`);
      const kind = open === undefined || open.type in deltasOf ? open?.type : "tool_use";
      if (!deltasOf[kind ?? ""]?.includes(type)) say(`${type} in ${open?.type}`);
    } else if (event.type === "content_block_stop") {
      if (open?.index !== event.index) say(`is for ${event.index}, open is ${open?.index}`);
      open = undefined;
    } else if (event.type === "message_delta") {
      if (phase !== "blocks") say("comes twice");
      if (open !== undefined) say(`comes while ${open.index} is open`);
      const usage = event.usage as Record<string, unknown> | undefined;
      if (typeof usage?.output_tokens !== "number") say("has no usage");
      phase = "delta";
    } else if (event.type === "message_stop") {
      if (phase !== "delta") say("comes without message_delta");
      phase = "over";
    } else say("is no event of this stream");
  }
  if (phase !== "over") breaks.push("has no end");
  return breaks;
}

/** The message, put together as Anthropic's documentation says. */
export function foldMessage(events: readonly StreamEvent[]): FoldedMessage {
  const folded: FoldedMessage = { content: [], stopReason: undefined, usage: {}, error: undefined };
  const json = new Map<Block, string>();
  for (const event of events) {
    const block = folded.content[event.index as number] as Block;
    if (event.type === "message_start") {
      folded.usage = { ...(event.message as { usage: Record<string, unknown> }).usage };
    } else if (event.type === "content_block_start") {
      folded.content.push({ ...(event.content_block as Block) });
    } else if (event.type === "content_block_delta") {
      const { type, ...delta } = event.delta as Block;
      if (type === "input_json_delta") json.set(block, (json.get(block) ?? "") + String(delta.partial_json));
      else if (type === "citations_delta")
        block.citations = [...((block.citations as unknown[]) ?? []), delta.citation];
      else
        for (const [name, value] of Object.entries(delta))
          block[name] = name === "encrypted_content" ? value : `${block[name] ?? ""}${value}`;
    } else if (event.type === "content_block_stop") {
      const text = json.get(block);
      if (text !== undefined && text !== "") block.input = JSON.parse(text);
    } else if (event.type === "message_delta") {
      folded.stopReason = (event.delta as { stop_reason: unknown }).stop_reason;
      for (const [name, value] of Object.entries(event.usage as object))
        if (value !== null) folded.usage[name] = value;
    } else if (event.type === "error") {
      folded.error = event.error as NonNullable<FoldedMessage["error"]>;
    }
  }
  return folded;
}
