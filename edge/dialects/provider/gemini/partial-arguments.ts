/**
 * Function-call arguments that arrive as pieces addressed by a JSON path (`$.a.b[0]`), collected into one object (RFC 9535 paths,
 * of which only names and indices occur).
 */
import type { PartialArg } from "./schema.ts";

/** Largest accepted index. No model's answer has a larger one, which would only take memory. */
const maxIndex = 10_000;
/** Most places that an index may leave empty: nine kilobytes of paths with large indices made lists of 130 MB. */
const maxGap = 16;
const maxDepth = 64;

type Step = string | number;
type Container = { [key: string]: unknown } | unknown[];

const stepPattern = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** The steps of a path; undefined if it cannot be read. */
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
 * Writes one piece at its path; pieces of one string are appended. False if the path cannot be read or does not fit the object so
 * far.
 */
export function applyPartialArgument(root: Container, argument: PartialArg): boolean {
  const steps = readPath(argument.jsonPath);
  const value = readValue(argument);
  if (steps === undefined) return false;
  if (value === undefined) return true;
  let container = root;
  for (const [position, step] of steps.entries()) {
    if (Array.isArray(container) !== (typeof step === "number")) return false;
    if (Array.isArray(container) && Number(step) > container.length + maxGap) return false;
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

/** An object without a prototype, on which `__proto__` is a name like any other. */
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
  // Fills with null, as JSON would, so that the list has no holes.
  while (container.length < Number(step)) container.push(null);
  container[Number(step)] = value;
}

function unescapeName(text: string): string {
  return text.replaceAll(/\\(.)/g, "$1");
}
