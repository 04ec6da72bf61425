/**
 * Function-call arguments that arrive as pieces named by a JSON path (`$.a.b[0]`), put together to one
 * object (RFC 9535 paths, of which only names and indices occur).
 */
import type { PartialArg } from "./schema.ts";

/** An index further out than this is no answer of a model, and would only cost memory. */
const maxIndex = 10_000;
const maxDepth = 64;

type Step = string | number;
type Container = { [key: string]: unknown } | unknown[];

const stepPattern = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** Steps of a path, or undefined where it cannot be read. */
export function readPath(path: string): Step[] | undefined {
  if (!path.startsWith("$")) return undefined;
  const steps: Step[] = [];
  let at = 1;
  while (at < path.length) {
    stepPattern.lastIndex = at;
    const match = stepPattern.exec(path);
    if (match === null || steps.length >= maxDepth) return undefined;
    const index = match[2] === undefined ? undefined : Number(match[2]);
    if (index !== undefined && index > maxIndex) return undefined;
    steps.push(index ?? match[1] ?? unescapeName(match[3] ?? match[4] ?? ""));
    at = stepPattern.lastIndex;
  }
  return steps.length > 0 ? steps : undefined;
}

/**
 * Puts one piece where its path says; pieces of one string are appended in turn. False where the path
 * cannot be read or does not fit what is there.
 */
export function applyPartialArgument(root: Container, argument: PartialArg): boolean {
  const steps = readPath(argument.jsonPath);
  const value = readValue(argument);
  if (steps === undefined) return false;
  if (value === undefined) return true;
  let container = root;
  for (const [position, step] of steps.entries()) {
    if (Array.isArray(container) !== (typeof step === "number")) return false;
    const before = get(container, step);
    const next = steps[position + 1];
    if (next === undefined) {
      set(container, step, typeof before === "string" && typeof value === "string" ? before + value : value);
      return true;
    }
    if (isContainer(before)) container = before;
    else {
      const created: Container = typeof next === "number" ? [] : createObject();
      set(container, step, created);
      container = created;
    }
  }
  return true;
}

/** An object on which any name, `__proto__` too, is only a name. */
export function createObject(): { [key: string]: unknown } {
  return Object.create(null) as { [key: string]: unknown };
}

function readValue({ stringValue, numberValue, boolValue, nullValue }: PartialArg): unknown {
  const given = stringValue ?? numberValue ?? boolValue;
  if (given !== null && given !== undefined) return given;
  return nullValue === undefined ? undefined : null;
}

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

function get(container: Container, step: Step): unknown {
  return Array.isArray(container) ? container[Number(step)] : container[step];
}

function set(container: Container, step: Step, value: unknown): void {
  if (!Array.isArray(container)) {
    container[step] = value;
    return;
  }
  // No holes: what has not come yet is null, as JSON would write it.
  while (container.length < Number(step)) container.push(null);
  container[Number(step)] = value;
}

function unescapeName(text: string): string {
  return text.replaceAll(/\\(.)/g, "$1");
}
