/** The caller's own tools of a request in one list, those of its namespaces among them. */
import { keyOf } from "./tool-names.ts";
import { isNamespace, isOwnTool, type NestedTool, type ToolInput } from "./tool-schema.ts";

export type OwnTool = NestedTool & { name: string; namespace?: string };

/** Told what no provider is given, by its name in a response header. */
type LeaveOut = (name: string) => void;

/** OpenAI refuses longer descriptions of a function. */
const mostDescriptionChars = 1_024;

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
  if (described.length <= mostDescriptionChars) return [{ ...first, description: described }, ...others];
  leaveOut("tools.namespace.description");
  return [first, ...others];
}

/**
 * In the caller's order. Of two tools that share both names the first is kept: no provider takes both, and no call could
 * tell them apart.
 */
export function listOwnTools(tools: readonly ToolInput[], leaveOut: LeaveOut = () => {}): OwnTool[] {
  const seen = new Set<string>();
  const keep = (tool: NestedTool, namespace: string): OwnTool[] => {
    const own = { ...tool, name: tool.name ?? "", namespace };
    const key = keyOf(own);
    if (!isOwnTool(tool)) leaveOut(`tools.namespace.tools.${tool.type}`);
    else if (seen.has(key)) leaveOut("tools.namespace.tools");
    else {
      seen.add(key);
      return [own];
    }
    return [];
  };
  return tools.flatMap((tool): OwnTool[] => {
    const { name = "", tools: children, ...given } = tool;
    if (isNamespace(tool)) {
      const kept = (children ?? []).flatMap((child) => keep(child, name));
      return describeNamespace(tool, kept, leaveOut);
    }
    if (isOwnTool(tool)) return [{ ...given, name }];
    leaveOut(`tools.${tool.type}`);
    return [];
  });
}
