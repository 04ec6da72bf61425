/** Paths of a body that cursor-shapes.ts has put into the form of chat completions, as its caller wrote them. */
import { readList, readObject } from "../../json.ts";

type Path = readonly PropertyKey[];

/** Objects that the other forms do not have around their fields. */
const nests: ReadonlySet<PropertyKey> = new Set(["function", "custom", "allowed_tools"]);
/** Anthropic's names, by those of chat completions. */
const renamed: ReadonlyMap<PropertyKey, string> = new Map([
  ["parameters", "input_schema"],
  ["arguments", "input"],
  ["tool_call_id", "tool_use_id"],
  ["image_url", "source"],
]);

/** `path` in the caller's names: it leads through `given`, whose parts may have another form than the path has. */
export function spellAsGiven(given: unknown, [key, ...inner]: Path): PropertyKey[] {
  if (key === undefined) return [];
  if (typeof key === "number") return [key, ...spellAsGiven(readList(given)[key], inner)];
  const fields = readObject(given) ?? {};
  const value = fields[String(key)];
  if (value !== undefined) return [key, ...spellAsGiven(value, inner)];
  if (nests.has(key) && inner.length > 0) return spellAsGiven(given, inner);
  const name = renamed.get(key);
  const isAnthropic = name !== undefined && (fields[name] !== undefined || fields.type === "tool_result");
  if (!isAnthropic) return [key, ...inner];
  // A picture's URL may be made of other fields.
  return name === "source" ? [name] : [name, ...spellAsGiven(fields[name], inner)];
}

/** Where a message's parts stood in the content it was made from. */
export type Origins = {
  /** The index of the result that the whole message was. */
  result?: number;
  /** Indexes of the parts that are its content. */
  content?: readonly number[];
  /** Those of its calls, after `ownCalls` that it had itself. */
  calls?: readonly number[];
  ownCalls?: number;
};

/** `path` within a made message, as one within the message it was made from. */
export function findOrigin({ result, content, calls, ownCalls = 0 }: Origins, path: Path): Path {
  if (result !== undefined) return ["content", result, ...path];
  const [field, at, ...inner] = path;
  const index = Number(at);
  const origin =
    field === "content" ? content?.[index] : field === "tool_calls" ? calls?.[index - ownCalls] : undefined;
  return origin === undefined ? path : ["content", origin, ...inner];
}
