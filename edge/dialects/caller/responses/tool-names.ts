/**
 * One name for each tool of a namespace. The hub and every provider have tools in one flat list, so tool `list_issues` of
 * namespace `mcp__github` is called `mcp__github__list_issues` there, and is split into both names on the way back. This file
 * owns that rule, and resolves the tool names in a caller's request.
 */
import { hashText } from "../../distinct-tools.ts";

/** A tool's name as callers write it. Without a `namespace`, or with an empty one, it is a tool of the request's own list. */
export type ToolName = { name: string; namespace?: string | null | undefined };

type CalledTool = { name: string; namespace?: string };

export type ToolNames = {
  /** Hub names of the tools that a name may stand for: several if tools of different namespaces share the name. */
  find(tool: ToolName): readonly string[];
  /** The hub name of a call in the history, whose tool the request may no longer contain. */
  join(tool: ToolName): string;
  /** A called tool's name as its caller wrote it. */
  split(hubName: string): CalledTool;
};

/** The longest name that every provider takes. */
const maxNameChars = 64;
/** Characters of a tool's own name that are kept; its namespace is shortened first. */
const maxOwnChars = 40;
const separator = "__";

const toWord = (text: string): string => text.replace(/[^\w-]/g, "_");

/** A namespace may end in the separator itself, as Codex's did. */
function toPrefix(namespace: string): string {
  const word = toWord(namespace);
  return word.endsWith(separator) ? word.slice(0, -separator.length) : word;
}

/** The caller of this function looks for collisions, and counts `attempt` up. */
const hashName = (namespace: string, name: string, attempt: number): string =>
  hashText(JSON.stringify([namespace, name, attempt]));

/** The end of a name tells more than its namespace, so it is cut last. */
function shorten(namespace: string, name: string, attempt: number): string {
  const end = `${separator}${toWord(name).slice(0, maxOwnChars)}_${hashName(namespace, name, attempt)}`;
  return toPrefix(namespace).slice(0, maxNameChars - end.length) + end;
}

/** Both names joined; undefined if characters would have to be replaced or the result is too long. */
function joinPlainly(namespace: string, name: string): string | undefined {
  const joined = toPrefix(namespace) + separator + name;
  const isSame = toWord(namespace) === namespace && toWord(name) === name;
  return isSame && joined.length <= maxNameChars ? joined : undefined;
}

/**
 * Undefined for the request's own list. `functions` also means that list: newer Codex sends its own tools in a namespace of that
 * name, and accepts their calls without a namespace, as OpenAI writes them.
 */
export const toNamespace = (namespace: string | null | undefined): string | undefined =>
  namespace === "functions" ? undefined : namespace || undefined;

/** Equal for equal names. */
export const keyOf = ({ namespace, name }: ToolName): string =>
  JSON.stringify([toNamespace(namespace) ?? null, name]);

/** The hub names of a request's tools. `find` and `join` are handed on as functions. */
class HubNames implements ToolNames {
  readonly #byTool = new Map<string, string>();
  readonly #tools = new Map<string, CalledTool>();
  /** Hub names of the tools in namespaces, by the tool's own name. */
  readonly #nested = new Map<string, string[]>();

  give(hubName: string, { name, namespace }: ToolName): void {
    this.#byTool.set(keyOf({ name, namespace }), hubName);
    this.#tools.set(hubName, namespace ? { name, namespace } : { name });
    if (!namespace) return;
    const alike = this.#nested.get(name);
    if (alike === undefined) this.#nested.set(name, [hubName]);
    else alike.push(hubName);
  }

  isTaken(hubName: string): boolean {
    return this.#tools.has(hubName);
  }

  readonly find = (tool: ToolName): readonly string[] => {
    const exact = this.#byTool.get(keyOf(tool)) ?? joinAlone(tool);
    if (this.isTaken(exact)) return [exact];
    return toNamespace(tool.namespace) ? [] : (this.#nested.get(tool.name) ?? []);
  };

  readonly join = (tool: ToolName): string => {
    const found = this.find(tool);
    return found.length === 1 ? found[0]! : joinAlone(tool);
  };

  split(hubName: string): CalledTool {
    return this.#tools.get(hubName) ?? { name: hubName };
  }
}

/** The hub name of a tool for which no other tool contends. */
function joinAlone({ name, ...tool }: ToolName): string {
  const namespace = toNamespace(tool.namespace);
  return namespace ? (joinPlainly(namespace, name) ?? shorten(namespace, name, 0)) : name;
}

/** The hub name that a tool has if no other claims it; undefined if it has to be shortened. */
const plainName = ({ name, namespace }: ToolName): string | undefined =>
  namespace ? joinPlainly(namespace, name) : name;

/**
 * Hub names depend on the request's set of tools only, not on its order, so that a provider's prompt cache and the history match
 * on every turn. If two tools would have the same name, the one without a namespace gets it; if both have a namespace, neither
 * does.
 */
export function nameTools(tools: readonly ToolName[]): ToolNames {
  const own = [...new Map(tools.map((tool) => [keyOf(tool), tool])).values()];
  const claims = new Map<string, number>();
  for (const tool of own) {
    const plain = plainName(tool);
    // A tool without a namespace keeps its name: it counts twice, so no other tool can be the only claimant.
    if (plain !== undefined) claims.set(plain, (claims.get(plain) ?? 0) + (tool.namespace ? 1 : 2));
  }
  const names = new HubNames();
  const clashing: ToolName[] = [];
  for (const tool of own) {
    const plain = plainName(tool);
    if (plain !== undefined && (!tool.namespace || claims.get(plain) === 1)) names.give(plain, tool);
    else clashing.push(tool);
  }
  // By the name of attempt 0: the next attempt to try. A caller can make up names that all have one hash: with each of them counting from
  // 0, 1,000 such tools took 0.8 s.
  const attempts = new Map<string, number>();
  for (const tool of clashing) {
    const hubName = (attempt: number) => shorten(tool.namespace ?? "", tool.name, attempt);
    const first = hubName(0);
    let attempt = attempts.get(first) ?? 0;
    while (names.isTaken(hubName(attempt))) attempt += 1;
    attempts.set(first, attempt + 1);
    names.give(hubName(attempt), tool);
  }
  return names;
}
