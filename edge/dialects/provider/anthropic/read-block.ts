/**
 * One content block of an answer, from its start to its stop. Text, thinking and client tool calls have
 * hub events of their own; every other kind (server tools and their results, MCP, compaction, …) is
 * joined and handed on as one `opaque` event, so nothing is lost and no client tries to run it.
 */
import type { ChatEvent, ProviderData } from "../../../../shared/chat.ts";
import { withData } from "../../json.ts";
import { createNativeBlock } from "./record-content.ts";
import type { BlockDelta, ContentBlock } from "./schema.ts";

type Delta = BlockDelta["delta"];
type ThinkingFields = Pick<Delta, "thinking" | "signature"> & { estimated_tokens?: unknown };

export type BlockReader = { delta(delta: Delta): ChatEvent[]; stop(): ChatEvent[] };

type Opened = { block: BlockReader; events: ChatEvent[] };
type Open = (start: ContentBlock, takeNumber: () => number) => Opened;

const openers = new Map<string, Open>([
  ["text", openText],
  ["thinking", openThinking],
  ["redacted_thinking", openRedacted],
  ["tool_use", openToolUse],
]);

/** `nextNumber` is called once, with the block's first event, so that an empty block leaves no gap in the numbering. */
export function startBlock(start: ContentBlock, nextNumber: () => number): Opened {
  let number: number | undefined;
  const takeNumber = () => {
    number ??= nextNumber();
    return number;
  };
  return (openers.get(start.type) ?? openOpaque)(start, takeNumber);
}

const position = (takeNumber: () => number) => ({ choice: 0, block: takeNumber() });

function openText(start: ContentBlock, takeNumber: () => number): Opened {
  let spoke = false;
  const say = (text: string, providerData?: ProviderData): ChatEvent => {
    spoke = true;
    return { type: "text-delta", ...position(takeNumber), text, ...(providerData && { providerData }) };
  };
  const text = (value: string | null | undefined): ChatEvent[] => (value ? [say(value)] : []);
  const { type: _type, text: first, citations, ...fields } = start;
  // The block's fields at its start, for callers of this dialect.
  const held = pickGiven({ ...fields, citations: citations?.length ? [] : citations });
  const opening = Object.keys(held).length > 0 ? [say(first ?? "", held)] : text(first);
  const citation = (value: unknown): ChatEvent[] => [
    {
      type: "opaque",
      ...position(takeNumber),
      dialect: "anthropic",
      data: { type: "citations_delta", citation: value },
    },
  ];
  return {
    events: [...opening, ...(citations ?? []).flatMap(citation)],
    block: {
      delta: (delta) => (delta.citation === undefined ? text(delta.text) : citation(delta.citation)),
      // An empty block is passed on too, since the model wrote it.
      stop: () => (spoke ? [] : [say("")]),
    },
  };
}

function openThinking(start: ContentBlock, takeNumber: () => number): Opened {
  let spoke = false;
  const think = (text: string, more = {}): ChatEvent => {
    spoke = true;
    return { type: "reasoning-delta", ...position(takeNumber), text, ...more };
  };
  const read = ({ thinking, signature, estimated_tokens: count }: ThinkingFields): ChatEvent[] => {
    const counted = typeof count === "number" ? { estimatedTokens: count } : undefined;
    const events: ChatEvent[] = thinking || counted ? [think(thinking ?? "", counted)] : [];
    if (!signature) return events;
    // The thinking text may be withheld: an empty delta then begins the block that the signature belongs to.
    if (!spoke) events.push(think(""));
    return [...events, { type: "signature", ...position(takeNumber), signature }];
  };
  return { events: read(start), block: { delta: read, stop: () => [] } };
}

function openRedacted(start: ContentBlock, takeNumber: () => number): Opened {
  const data = start.data;
  return {
    events: typeof data === "string" ? [{ type: "redacted-reasoning", ...position(takeNumber), data }] : [],
    block: { delta: () => [], stop: () => [] },
  };
}

function openToolUse(start: ContentBlock, takeNumber: () => number): Opened {
  const at = position(takeNumber);
  const { type: _type, id, name, input, ...rest } = start;
  let received = false;
  const write = (text: string): ChatEvent => ({ type: "tool-call-delta", ...at, arguments: text });
  return {
    events: [
      {
        type: "tool-call-start",
        ...at,
        id: id ?? `toolu_${at.block}`,
        name: name ?? "",
        ...withData(pickGiven(rest)),
      },
    ],
    block: {
      delta: ({ partial_json: text }) => {
        if (!text) return [];
        received = true;
        return [write(text)];
      },
      // No delta came: the input was complete at the start, or the tool takes none.
      stop: () => [
        ...(received ? [] : [write(JSON.stringify(input ?? {}))]),
        { type: "tool-call-end", ...at },
      ],
    },
  };
}

function openOpaque(start: ContentBlock, takeNumber: () => number): Opened {
  const native = createNativeBlock(start);
  return {
    events: [],
    block: {
      delta: (delta) => {
        native.add(delta);
        return [];
      },
      stop: () => [{ type: "opaque", ...position(takeNumber), dialect: "anthropic", data: native.build() }],
    },
  };
}

function pickGiven(fields: ProviderData): ProviderData {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
