/** The caller's own tools of a request in one list, including those in namespaces and in items of the input. */
import { createToolComparison } from "../../fit-tools.ts";
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

/** Called for a tool or field that no provider is sent, with its name in `x-svc-unsupported`. */
type LeaveOut = (name: string) => void;

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
 * In the caller's order. Of two tools with the same namespace and name the first is kept, since providers refuse both and calls
 * could not tell them apart. Only a different definition is named as left out: later turns repeat their tools in items.
 */
export function listOwnTools(tools: readonly ToolInput[], leaveOut: LeaveOut = () => {}): OwnTool[] {
  const compare = createToolComparison();
  const keep = (tool: NestedTool, own: OwnTool, place: string): OwnTool[] => {
    const compared = compare(keyOf(own), tool);
    if (compared === "other") leaveOut(place);
    return compared === "first" ? [own] : [];
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
