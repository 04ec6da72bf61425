/**
 * Gathers the caller's own tools of a request into one list, including those in namespaces and in items of the input. Writes them and the
 * tool choice in the hub's form, where a tool of a namespace has a single name.
 */
import type { ToolChoice, ToolDefinition } from "../../../../shared/chat.ts";
import { readCustomTool } from "../../custom-tools.ts";
import { createToolComparison } from "../../distinct-tools.ts";
import { present, readText, withData } from "../../json.ts";
import { readCacheMarks } from "../../openai-extensions.ts";
import { keyOf, nameTools, type ToolName, type ToolNames, toNamespace } from "./tool-names.ts";
import {
  isCallersSearch,
  isNamespace,
  isOwnTool,
  type NestedTool,
  searchType,
  type ToolChoiceInput,
  type ToolInput,
} from "./tool-schema.ts";

/** Notes a part of the request that no provider is sent, by its name in this dialect. */
export type Note = (name: string) => void;

type OwnTool = NestedTool & { name: string; namespace?: string };

/** OpenAI refuses longer descriptions of a function. */
const maxDescriptionChars = 1_024;

type GivenTools = {
  tools?: readonly ToolInput[] | null | undefined;
  input: string | readonly ({ type: string } | { type: string; tools: readonly ToolInput[] })[];
};

/**
 * Every tool of a request: those of `tools`, then those in items. Tools that a later turn adds come last, so that a provider's
 * prompt cache of the earlier ones still matches.
 */
export function gatherTools({ tools, input }: GivenTools): readonly ToolInput[] {
  const items = typeof input === "string" ? [] : input;
  return [...(tools ?? []), ...items.flatMap((item) => ("tools" in item ? item.tools : []))];
}

/**
 * A namespace's description (an MCP server's instructions) has no place in a flat list, so it is added to its first tool's. A
 * model reads all tools; repeated in each, the description would cost its tokens many times.
 */
function describeNamespace(
  { name, description }: ToolInput,
  [first, ...others]: readonly OwnTool[],
  note: Note,
): OwnTool[] {
  if (first === undefined) return [];
  if (!description) return [first, ...others];
  const about = `About all tools of ${name}: ${description}`;
  const described = first.description ? `${first.description}\n\n${about}` : about;
  if (described.length <= maxDescriptionChars) return [{ ...first, description: described }, ...others];
  note("tools.namespace.description");
  return [first, ...others];
}

/**
 * In the caller's order. Of two tools with the same namespace and name the first is kept, since providers refuse both and calls
 * could not tell them apart. Only a different definition is named as left out: later turns repeat their tools in items.
 */
export function listOwnTools(tools: readonly ToolInput[], note: Note = () => {}): OwnTool[] {
  const compare = createToolComparison();
  const keep = (tool: NestedTool, own: OwnTool, place: string): OwnTool[] => {
    const compared = compare(keyOf(own), tool);
    if (compared === "other") note(place);
    return compared === "first" ? [own] : [];
  };
  const keepNested = (tool: NestedTool, namespace: string | undefined): OwnTool[] => {
    const { name = "" } = tool;
    if (!isOwnTool(tool)) {
      note(`tools.namespace.tools.${tool.type}`);
      return [];
    }
    return keep(tool, { ...tool, name, ...present({ namespace }) }, "tools.namespace.tools");
  };
  return tools.flatMap((tool): OwnTool[] => {
    const { name = "", tools: children, ...given } = tool;
    if (isNamespace(tool)) {
      const kept = (children ?? []).flatMap((child) => keepNested(child, toNamespace(name)));
      return describeNamespace(tool, kept, note);
    }
    if (isOwnTool(tool)) return keep(tool, { ...given, name }, "tools");
    if (isCallersSearch(tool)) return keep(tool, { ...given, name: searchType }, `tools.${searchType}`);
    note(`tools.${tool.type}`);
    return [];
  });
}

type ChosenTools = { tools: ToolDefinition[]; toolChoice?: ToolChoice };

function readTool(tool: OwnTool, name: string, note: Note): ToolDefinition {
  const {
    description,
    parameters,
    strict,
    format,
    type,
    output_schema: result,
    allowed_callers: callers,
  } = tool;
  if (result != null) note("tools.output_schema");
  if (Array.isArray(callers) && !callers.includes("direct")) note("tools.allowed_callers");
  if (type === "custom") return readCustomTool({ name, description, format });
  return { name, ...present({ description, parameters, strict }), ...withData(readCacheMarks(tool)) };
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
  const tools = own.map((tool) => readTool(tool, names.join(tool), note));
  const searches = own.some(({ type }) => type === searchType);
  return { ...readChoice(choice, { tools, own, names }, note), names, searches };
}
