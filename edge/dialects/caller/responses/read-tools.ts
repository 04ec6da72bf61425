/** The tools of a request and the tool choice in the hub's form: a tool of a namespace has one name there. */
import type { ToolChoice, ToolDefinition } from "../../../../shared/chat.ts";
import { readCustomTool } from "../../custom-tools.ts";
import { present, readText } from "../../json.ts";
import { listOwnTools, type OwnTool } from "./list-tools.ts";
import type { Note } from "./read-message.ts";
import { keyOf, nameTools, type ToolName, type ToolNames, toNamespace } from "./tool-names.ts";
import { isNamespace, isOwnTool, searchType, type ToolChoiceInput, type ToolInput } from "./tool-schema.ts";

type ChosenTools = { tools: ToolDefinition[]; toolChoice?: ToolChoice };

function readTool({ description, parameters, strict, format, type }: OwnTool, name: string): ToolDefinition {
  if (type === "custom") return readCustomTool({ name, description, format });
  return { name, ...present({ description, parameters, strict }) };
}

type AllowedEntries = NonNullable<Extract<ToolChoiceInput, object>["tools"]>;

/**
 * Hub names of the tools in `allowed_tools`; a namespace stands for all its tools. Each name is looked up once however often it
 * is repeated, as one entry may stand for a thousand tools.
 */
function listAllowed(
  entries: AllowedEntries,
  own: readonly OwnTool[],
  names: ToolNames,
): ReadonlySet<string> {
  const namespaces = new Set<string | undefined>();
  const single = new Map<string, ToolName>();
  for (const entry of entries) {
    const tool = { name: readText(entry.name) ?? "", namespace: readText(entry.namespace) };
    if (isNamespace({ type: readText(entry.type) ?? "" })) namespaces.add(toNamespace(tool.name));
    else single.set(keyOf(tool), tool);
  }
  return new Set([
    ...own.filter(({ namespace }) => namespaces.has(namespace)).map(names.join),
    ...[...single.values()].flatMap(names.find),
  ]);
}

/** `allowed_tools` is implemented by leaving the other tools out: only OpenAI has the field. */
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
  const allowed = listAllowed(choice.tools ?? [], own, names);
  return {
    tools: tools.filter((tool) => allowed.has(tool.name)),
    toolChoice: { type: choice.mode ?? "auto" },
  };
}

/**
 * `names` covers every tool of the request, also those that the choice leaves out. `searches`: the caller runs `tool_search`
 * itself.
 */
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
