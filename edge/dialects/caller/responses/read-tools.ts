/** The tools of a request and the choice among them as the hub's, each tool of a namespace under one name. */
import type { ToolChoice, ToolDefinition } from "../../../../shared/chat.ts";
import { readCustomTool } from "../../custom-tools.ts";
import { present, readText } from "../../json.ts";
import { listOwnTools, type OwnTool } from "./list-tools.ts";
import type { Note } from "./read-message.ts";
import { nameTools, type ToolNames, toNamespace } from "./tool-names.ts";
import { isNamespace, isOwnTool, searchType, type ToolChoiceInput, type ToolInput } from "./tool-schema.ts";

type ChosenTools = { tools: ToolDefinition[]; toolChoice?: ToolChoice };

function readTool({ description, parameters, strict, format, type }: OwnTool, name: string): ToolDefinition {
  if (type === "custom") return readCustomTool({ name, description, format });
  return { name, ...present({ description, parameters, strict }) };
}

/** Hub names of the tools that an entry of `allowed_tools` names: of a namespace, all. */
function findAllowed(
  entry: Readonly<Record<string, unknown>>,
  own: readonly OwnTool[],
  names: ToolNames,
): readonly string[] {
  const name = readText(entry.name) ?? "";
  if (isNamespace({ type: String(entry.type) }))
    return own.filter(({ namespace }) => namespace === toNamespace(name)).map(names.join);
  return names.find({ name, namespace: readText(entry.namespace) });
}

/** `allowed_tools` is told by leaving the others out: only OpenAI has such a list. */
function readChoice(
  choice: ToolChoiceInput | null | undefined,
  { tools, own, names }: { tools: ToolDefinition[]; own: readonly OwnTool[]; names: ToolNames },
  note: Note,
): ChosenTools {
  if (choice === null || choice === undefined) return { tools };
  if (typeof choice === "string") return { tools, toolChoice: { type: choice } };
  const { type, name, namespace } = choice;
  if (isOwnTool(choice))
    return { tools, toolChoice: { type: "tool", name: names.join({ name: name ?? "", namespace }) } };
  if (type !== "allowed_tools") {
    note(`tool_choice.${type}`);
    return { tools };
  }
  const allowed = new Set((choice.tools ?? []).flatMap((entry) => findAllowed(entry, own, names)));
  return {
    tools: tools.filter((tool) => allowed.has(tool.name)),
    toolChoice: { type: choice.mode ?? "auto" },
  };
}

/** `names` holds every tool of the request, also those that the choice leaves out; `searches`: its caller searches for more. */
export function readTools(
  given: readonly ToolInput[],
  choice: ToolChoiceInput | null | undefined,
  note: Note,
): ChosenTools & { names: ToolNames; searches: boolean } {
  const own = listOwnTools(given, note);
  const names = nameTools(own);
  const tools = own.map((tool) => readTool(tool, names.join(tool)));
  const searches = own.some(({ type }) => type === searchType);
  return { ...readChoice(choice, { tools, own, names }, note), names, searches };
}
