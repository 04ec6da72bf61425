/**
 * Cursor's chat requests hold parts in the forms of other APIs, which no setting changes: tools without `function`, as OpenAI's
 * responses have them, and for a model with `claude` in its name tools, choice, calls and results as Anthropic has them. They are
 * put into the form of chat completions before the body is validated; what has that form already is left as it is.
 */
import { createTable } from "../../../../shared/lookup-table.ts";
import { type JsonObject, present, readList, readObject, readText } from "../../json.ts";

export type ReadShapes = {
  body: unknown;
  /** The request has a custom tool in the form of responses: its caller reads `function` of every call. */
  readsFunctions: boolean;
  /** A path of the body as it was given, in its caller's names. */
  readPath(path: PropertyKey[]): PropertyKey[];
};

const isFlat = ({ name, function: nested, custom }: JsonObject): boolean =>
  readText(name) !== undefined && nested === undefined && custom === undefined;

/** Anthropic gives the type `custom` to its ordinary tools, too. */
const isFlatCustom = (tool: JsonObject): boolean =>
  isFlat(tool) && tool.type === "custom" && tool.input_schema === undefined;

function nestTool(given: unknown): unknown {
  const tool = readObject(given);
  if (tool === undefined) return given;
  if (!isFlat(tool)) return tool.type === undefined && tool.function ? { ...tool, type: "function" } : tool;
  const { type, input_schema: schema, ...named } = tool;
  if (isFlatCustom(tool)) return { type, custom: named };
  const isFunction = type === undefined || type === "function" || schema !== undefined;
  return isFunction ? { type: "function", function: { ...present({ parameters: schema }), ...named } } : tool;
}

/** Anthropic's choices by their type. */
const anthropicChoices = createTable({
  auto: "auto",
  any: "required",
  none: "none",
});

function nestNamed(given: unknown): unknown {
  const choice = readObject(given);
  if (choice === undefined || !isFlat(choice)) return given;
  const { type, name } = choice;
  const kind = type === "tool" ? "function" : String(type);
  return { type: kind, [kind]: { name } };
}

function nestChoice(choice: JsonObject): unknown {
  const { type, mode, tools } = choice;
  if (type === "allowed_tools" && choice.allowed_tools === undefined)
    return { type, allowed_tools: { mode, tools: Array.isArray(tools) ? tools.map(nestNamed) : tools } };
  return anthropicChoices[readText(type) ?? ""] ?? nestNamed(choice);
}

function readPictureUrl({ type, url, media_type, data }: JsonObject): string | undefined {
  if (type === "url") return readText(url);
  const isWhole = type === "base64" && readText(media_type) !== undefined && readText(data) !== undefined;
  return isWhole ? `data:${media_type};base64,${data}` : undefined;
}

/** Anthropic's picture; any other part as it is, also a picture of a kind that has no form here. */
function readPart(given: unknown): unknown {
  const { type, source, ...rest } = readObject(given) ?? {};
  const url = type === "image" ? readPictureUrl(readObject(source) ?? {}) : undefined;
  return url === undefined ? given : { ...rest, type: "image_url", image_url: { url } };
}

const readContent = (content: unknown): unknown => (Array.isArray(content) ? content.map(readPart) : content);

const readCall = ({ id, name, input, ...rest }: JsonObject) => ({
  ...rest,
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(input ?? {}) },
});

/** Chat completions have no mark for a failed result: ours is Anthropic's. */
const readResult = ({ tool_use_id: id, content, type: _type, is_error: failed, ...rest }: JsonObject) => ({
  ...rest,
  ...(failed === true && { is_error: failed }),
  role: "tool",
  tool_call_id: id,
  content: readContent(content ?? ""),
});

type Made = { message: unknown; origins: Origins };

/** Results stand before what else the user says, as they answer the turn before. */
function splitMessage(given: unknown): Made[] {
  const message = readObject(given);
  if (message === undefined || !Array.isArray(message.content)) return [{ message: given, origins: {} }];
  const blocks = message.content.map((block) => readObject(block) ?? {});
  const take = (role: string, wanted: string) =>
    message.role === role ? blocks.filter(({ type }) => type === wanted) : [];
  const [calls, results] = [take("assistant", "tool_use"), take("user", "tool_result")];
  const moved = new Set([...calls, ...results]);
  if (moved.size === 0 && !blocks.some(({ type }) => type === "image"))
    return [{ message: given, origins: {} }];
  const said = blocks.filter((block) => !moved.has(block));
  const isWrong = !Array.isArray(message.tool_calls ?? []);
  const own = readList(message.tool_calls);
  const tool_calls = [...own, ...calls.map(readCall)];
  const content = said.map(readPart);
  const rest = { ...message, content, ...(!isWrong && tool_calls.length > 0 && { tool_calls }) };
  const places = new Map(blocks.map((block, at) => [block, at]));
  const locate = (parts: readonly JsonObject[]) => parts.map((part) => places.get(part)!);
  const origins = { content: locate(said), calls: locate(calls), ownCalls: own.length };
  return [
    ...results.map((result) => ({ message: readResult(result), origins: { result: places.get(result)! } })),
    ...(said.length + calls.length > 0 ? [{ message: rest, origins }] : []),
  ];
}

/** A call of a custom tool comes back as it was written for this caller: as a function's, with the text as its arguments. */
function restoreCalls(given: unknown, customTools: ReadonlySet<unknown>): unknown {
  const message = readObject(given);
  if (message === undefined || !Array.isArray(message.tool_calls)) return given;
  const tool_calls = message.tool_calls.map((value) => {
    const { function: called, ...call } = readObject(value) ?? {};
    const { name, arguments: input } = readObject(called) ?? {};
    return customTools.has(name) ? { ...call, type: "custom", custom: { name, input } } : value;
  });
  return { ...message, tool_calls };
}

export function readCursorShapes(given: unknown): ReadShapes {
  const body = readObject(given);
  if (body === undefined || !Array.isArray(body.messages))
    return { body: given, readsFunctions: false, readPath: (path) => path };
  const tools = readList(body.tools).map((tool) => readObject(tool) ?? {});
  const customTools = new Set(tools.filter(isFlatCustom).map(({ name }) => name));
  const made = body.messages.flatMap((message, index) =>
    splitMessage(message).map((part) => ({ ...part, index })),
  );
  const messages = made.map(({ message }) => message);
  const choice = readObject(body.tool_choice);
  return {
    body: {
      ...body,
      messages:
        customTools.size === 0 ? messages : messages.map((message) => restoreCalls(message, customTools)),
      ...(Array.isArray(body.tools) && { tools: body.tools.map(nestTool) }),
      ...(choice && { tool_choice: nestChoice(choice) }),
      ...(choice?.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
    },
    readsFunctions: customTools.size > 0,
    readPath(path) {
      const [field, at, ...inner] = path;
      const from = field === "messages" ? made[Number(at)] : undefined;
      return spellAsGiven(body, from ? [field!, from.index, ...findOrigin(from.origins, inner)] : path);
    },
  };
}

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
function spellAsGiven(given: unknown, [key, ...inner]: Path): PropertyKey[] {
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
type Origins = {
  /** The index of the result that the whole message was. */
  result?: number;
  /** Indexes of the parts that are its content. */
  content?: readonly number[];
  /** Those of its calls, after `ownCalls` that it had itself. */
  calls?: readonly number[];
  ownCalls?: number;
};

/** `path` within a made message, as one within the message it was made from. */
function findOrigin({ result, content, calls, ownCalls = 0 }: Origins, path: Path): Path {
  if (result !== undefined) return ["content", result, ...path];
  const [field, at, ...inner] = path;
  const index = Number(at);
  const origin =
    field === "content" ? content?.[index] : field === "tool_calls" ? calls?.[index - ownCalls] : undefined;
  return origin === undefined ? path : ["content", origin, ...inner];
}
