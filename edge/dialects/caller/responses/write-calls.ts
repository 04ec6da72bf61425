/** Tool calls as output items: a function's arguments in pieces as they arrive, a custom tool's free text once it is complete. */
import type { EventOf } from "../../../../shared/chat.ts";
import { unwrapInput } from "../../custom-tools.ts";
import { parseJson, readToolArguments } from "../../json.ts";
import type {
  CustomCallOutput,
  FunctionCallOutput,
  ItemSink,
  ItemStatus,
  OutputItem,
  SearchCallOutput,
} from "./reply-types.ts";
import type { ToolNames } from "./tool-names.ts";
import { searchType } from "./tool-schema.ts";

export type CallWriter = {
  start(event: EventOf<"tool-call-start">): void;
  add(event: EventOf<"tool-call-delta">): void;
  /** Ends a call. One whose arguments are no JSON may have been cut, which only the end of the answer tells: it stays open until then. */
  end(block: number): void;
  /** Writes the ends of all open calls. */
  endAll(status: ItemStatus): void;
  /** The `call_id` of a block that is a call. */
  idOf(block: number): string | undefined;
};

/** Where items are begun and ended, and what is written between. */
export type ItemOutput = {
  start<Item extends OutputItem>(prefix: string, build: (id: string) => Item): [Item, number];
  finish(item: OutputItem, index: number): void;
  sink: ItemSink;
};

type CallWriterOptions = ItemOutput & {
  customTools: ReadonlySet<string>;
  toolNames: ToolNames;
  searches: boolean;
};

type OpenCall = {
  item: FunctionCallOutput | CustomCallOutput | SearchCallOutput;
  index: number;
  place: string;
  text: string;
};

/** Cut by the output limit, or written so by a model that calls its tools badly. */
const isNoJson = (text: string): boolean => text.trim() !== "" && parseJson(text) === undefined;

export function createCallWriter(options: CallWriterOptions): CallWriter {
  const { start, finish, customTools, toolNames, searches, sink } = options;
  const open = new Map<number, OpenCall>();
  const ids = new Map<number, string>();

  const writeEnd = (block: number, { item, index, place, text }: OpenCall, status: ItemStatus) => {
    open.delete(block);
    const at = { item_id: item.id, output_index: index };
    if (item.type === "custom_tool_call") {
      item.input = unwrapInput(text);
      sink.delta("response.custom_tool_call_input.delta", place, item.input);
      sink.event("response.custom_tool_call_input.done", { ...at, input: item.input });
    } else if (item.type === "tool_search_call") item.arguments = readToolArguments(text).value;
    else {
      item.arguments = text.trim() === "" ? "{}" : text;
      const { name } = item;
      sink.event("response.function_call_arguments.done", { ...at, name, arguments: item.arguments });
    }
    item.status = status;
    finish(item, index);
  };

  const startItem = ({ id: call_id, name }: EventOf<"tool-call-start">): [OpenCall["item"], number] => {
    const status = "in_progress" as const;
    if (searches && name === searchType) {
      const call = { call_id, execution: "client" as const, arguments: {}, status };
      return start<SearchCallOutput>("tsc", (id) => ({ type: "tool_search_call", id, ...call }));
    }
    const head = { call_id, ...toolNames.split(name), status };
    return customTools.has(name)
      ? start<CustomCallOutput>("ctc", (id) => ({ type: "custom_tool_call", id, ...head, input: "" }))
      : start<FunctionCallOutput>("fc", (id) => ({ type: "function_call", id, ...head, arguments: "" }));
  };

  return {
    start(event) {
      const { block, id } = event;
      ids.set(block, id);
      const [item, index] = startItem(event);
      const place = `"item_id":"${item.id}","output_index":${index}`;
      open.set(block, { item, index, place, text: "" });
    },
    add({ block, arguments: piece }) {
      const call = open.get(block);
      if (call === undefined || piece === "") return;
      call.text += piece;
      if (call.item.type === "function_call")
        sink.delta("response.function_call_arguments.delta", call.place, piece);
    },
    end(block) {
      const call = open.get(block);
      if (call !== undefined && !isNoJson(call.text)) writeEnd(block, call, "completed");
    },
    endAll(status) {
      for (const [block, call] of [...open]) writeEnd(block, call, status);
    },
    idOf: (block) => ids.get(block),
  };
}
