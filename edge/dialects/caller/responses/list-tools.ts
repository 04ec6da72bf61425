/** The caller's own tools of a request in one list, those of its namespaces and of its input among them. */
import { present } from "../../json.ts";
import { keyOf, toNamespace } from "./tool-names.ts";
import {
  isCallersSearch,
  isNamespace,
  isOwnTool,
  type NestedTool,
  searchType,
  type ToolInput,
} from "./tool-schema.ts";

export type OwnTool = NestedTool & { name: string; namespace?: string };

/** Called for what no provider is given, with the name it has in `x-svc-unsupported`. */
type LeaveOut = (name: string) => void;

/** `text` is the tool in JSON, made when a second one of its name comes, and kept: made for each, a tool of megabytes would cost that many times. */
type SeenTool = { tool: NestedTool; text?: string };

/** OpenAI refuses longer descriptions of a function. */
const maxDescriptionChars = 1_024;

type GivenTools = {
  tools?: readonly ToolInput[] | null | undefined;
  input: string | readonly ({ type: string } | { type: string; tools: readonly ToolInput[] })[];
};

/**
 * Every tool of a request: those of `tools`, then those that items bring. They are added at the end, so that a provider's
 * cache of the first ones holds when a later turn brings more.
 */
export function gatherTools({ tools, input }: GivenTools): readonly ToolInput[] {
  const items = typeof input === "string" ? [] : input;
  return [...(tools ?? []), ...items.flatMap((item) => ("tools" in item ? item.tools : []))];
}

/**
 * What is said of a namespace (an MCP server's instructions) has no place in a flat list, so the first of its tools says
 * it: a model reads all of them, and for each tool to say it would cost its tokens many times.
 */
function describeNamespace(
  { name, description }: ToolInput,
  [first, ...others]: readonly OwnTool[],
  leaveOut: LeaveOut,
): OwnTool[] {
  if (first === undefined) return [];
  if (!description) return [first, ...others];
  const about = `About all tools of ${name}: ${description}`;
  const described = first.description ? `${first.description}\n\n${about}` : about;
  if (described.length <= maxDescriptionChars) return [{ ...first, description: described }, ...others];
  leaveOut("tools.namespace.description");
  return [first, ...others];
}

/**
 * In the caller's order. Of two tools that share both names the first is kept: no provider takes both, and no call could
 * tell them apart. One that says the same again, as every later turn's items do, is no loss.
 */
export function listOwnTools(tools: readonly ToolInput[], leaveOut: LeaveOut = () => {}): OwnTool[] {
  const seen = new Map<string, SeenTool>();
  const keep = (tool: NestedTool, own: OwnTool, place: string): OwnTool[] => {
    const key = keyOf(own);
    const before = seen.get(key);
    if (before === undefined) {
      seen.set(key, { tool });
      return [own];
    }
    before.text ??= JSON.stringify(before.tool);
    if (before.text !== JSON.stringify(tool)) leaveOut(place);
    return [];
  };
  const keepNested = (tool: NestedTool, namespace: string | undefined): OwnTool[] => {
    const { name = "" } = tool;
    if (!isOwnTool(tool)) {
      leaveOut(`tools.namespace.tools.${tool.type}`);
      return [];
    }
    return keep(tool, { ...tool, name, ...present({ namespace }) }, "tools.namespace.tools");
  };
  return tools.flatMap((tool): OwnTool[] => {
    const { name = "", tools: children, ...given } = tool;
    if (isNamespace(tool)) {
      const kept = (children ?? []).flatMap((child) => keepNested(child, toNamespace(name)));
      return describeNamespace(tool, kept, leaveOut);
    }
    if (isOwnTool(tool)) return keep(tool, { ...given, name }, "tools");
    if (isCallersSearch(tool)) return keep(tool, { ...given, name: searchType }, `tools.${searchType}`);
    leaveOut(`tools.${tool.type}`);
    return [];
  });
}
