/**
 * Renames the parameters of tools whose names Claude refuses, as MCP servers have them (`$filter`, `filter[name]`, `客户`), and gives the
 * caller's own names back in the arguments of calls. Only names at the root of a schema are checked by the API. Pure.
 *
 * The hold counts the bytes of the caller's names. A sent name has no more bytes, unless more than 30 names of one byte, or 1,000 of two,
 * become the same in one tool and have to be told apart. An added title is not counted: with titles, a tool came to 1.14 tokens for each
 * counted byte if its parameters have empty schemas, and to 0.6 if they have a type (o200k, cl100k).
 */
import type { ChatEvent, ChatRequest, ToolDefinition } from "../../../shared/chat.ts";
import { decodePercent } from "../inline-media.ts";
import { type JsonObject, parseJson, readList, readObject, readText } from "../json.ts";
import { brace, comma, JsonScan } from "../json-scan.ts";
import { unionKeywords } from "../parameter-schema.ts";
import type { FittedRequest } from "./fit-tools.ts";

/** github.com/ComposioHQ/composio/issues/3500, github.com/n8n-io/n8n/issues/30590 */
const fits = /^[\w.-]{1,64}$/;
const odd = /[^\w.-]/;
const maxChars = 64;
const utf8 = new TextEncoder();

/** A tool's own names by the names that are sent, or the reverse. */
type Names = ReadonlyMap<string, string>;

/** Keywords that say by a parameter's name what else holds if it is given: a list of names, or a schema of the same object. */
const dependencyKeywords = ["dependentRequired", "dependentSchemas", "dependencies"] as const;

/** A union at the root is made into one object later (`withoutRootUnion`), so the properties of its branches count as the root's. */
const listRoots = (schema: JsonObject): JsonObject[] => [
  schema,
  ...unionKeywords.flatMap((keyword) => readList(schema[keyword]).map((branch) => readObject(branch) ?? {})),
];

/** The name to send for each name that is refused; undefined if all fit. */
function findNames({ parameters = {} }: ToolDefinition): Names | undefined {
  const own = new Set(
    listRoots(parameters).flatMap(({ properties }) => Object.keys(readObject(properties) ?? {})),
  );
  const refused = [...own].filter((name) => !fits.test(name));
  if (refused.length === 0) return undefined;
  // No number is tried twice: with 20,000 names that become the same, a search from the start would block the isolate.
  let number = 2;
  const findFree = (name: string): string => {
    let free = toPlain(name);
    while (own.has(free)) free = toPlain(name, (number++).toString(36));
    own.add(free);
    return free;
  };
  return new Map(refused.map((name) => [name, findFree(name)]));
}

/** `number` tells two names apart. It replaces the first refused character, or the end of a name that is only too long. */
function toPlain(name: string, number = ""): string {
  const plain = name.replace(new RegExp(odd, "g"), "_").slice(0, maxChars) || "_";
  if (number === "") return plain;
  const room = Math.max(number.length, Math.min(maxChars, utf8.encode(name).length));
  const first = name.search(odd);
  const at = Math.min(first === -1 ? room : first, room - number.length);
  return (plain.slice(0, at) + number + plain.slice(at + 1)).slice(0, room);
}

/** A name without a Latin letter is lost, so the model reads it in the title unless a description tells what the parameter is. */
function tellName(name: string, schema: unknown): unknown {
  const { title, description } = readObject(schema) ?? {};
  const isTold = /[a-z]/i.test(name) || readText(title ?? description) !== undefined;
  return isTold || readObject(schema) === undefined ? schema : { ...(schema as JsonObject), title: name };
}

function renameRoot(schema: JsonObject, names: Names): JsonObject {
  const { properties, required } = schema;
  const listed = readObject(properties);
  const rename = ([name, inner]: [string, unknown]): [string, unknown] => {
    const sent = names.get(name);
    return sent === undefined ? [name, inner] : [sent, tellName(name, inner)];
  };
  return {
    ...schema,
    ...(listed && { properties: Object.fromEntries(Object.entries(listed).map(rename)) }),
    ...(Array.isArray(required) && { required: required.map((name) => names.get(name) ?? name) }),
  };
}

function renameParameters(schema: JsonObject, names: Names): JsonObject {
  const toSent = (name: string): string => names.get(name) ?? name;
  const renameInner = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(toSent);
    const object = readObject(inner);
    return object === undefined ? inner : renameRoot(object, names);
  };
  const renamed: Record<string, unknown> = renameRoot(schema, names);
  for (const keyword of unionKeywords) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) renamed[keyword] = branches.map(renameInner);
  }
  for (const keyword of dependencyKeywords) {
    const entries = Object.entries(readObject(schema[keyword]) ?? {});
    if (entries.length > 0)
      renamed[keyword] = Object.fromEntries(
        entries.map(([name, inner]) => [toSent(name), renameInner(inner)]),
      );
  }
  return renameReferences(renamed, names);
}

/** In the text of JSON, where a quotation mark inside a string has a backslash before it. */
const reference = /(?<!\\)("\$ref":"#\/properties\/)((?:[^"\\/]|\\.)*)/g;

/**
 * Renames the parameters that a `$ref` names, at any depth. There a name is escaped as in a JSON pointer, and perhaps as in a URI, too.
 * Works on the JSON text: a function that JSON.parse calls for each value takes over a second for 4 MB.
 */
function renameReferences(schema: JsonObject, names: Names): JsonObject {
  const rename = (whole: string, keyword: string, escaped: string): string => {
    const own = String(parseJson(`"${escaped}"`))
      .replaceAll("~1", "/")
      .replaceAll("~0", "~");
    const sent = names.get(own) ?? names.get(own.replace(/(?:%[\da-f]{2})+/gi, decodePercent));
    return sent === undefined ? whole : keyword + sent;
  };
  const json = JSON.stringify(schema);
  const renamed = json.replace(reference, rename);
  return renamed === json ? schema : JSON.parse(renamed);
}

/** Renames the keys of a JSON object whose text comes in pieces. Only a key that is not whole yet is held back. */
export class KeyRenamer {
  readonly #names: Names;
  readonly #scan = new JsonScan();
  #awaitsKey = false;
  /** An array at the root has no keys. */
  #isObject = false;
  #key: string | undefined;

  constructor(names: Names) {
    this.#names = names;
  }

  add(piece: string): string {
    let text = "";
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      const wasInString = this.#scan.inString;
      this.#scan.read(code);
      if (wasInString) {
        if (this.#scan.inString || this.#key === undefined) continue;
        text += this.#rename(this.#key + piece.slice(from, at + 1));
        this.#key = undefined;
        from = at + 1;
      } else if (this.#scan.inString) {
        if (!this.#awaitsKey) continue;
        this.#awaitsKey = false;
        this.#key = "";
        text += piece.slice(from, at);
        from = at;
      } else if (this.#scan.depth === 1) {
        if (code === brace) this.#isObject = true;
        if (code === brace || code === comma) this.#awaitsKey = this.#isObject;
      }
    }
    const rest = piece.slice(from);
    if (this.#key === undefined) return text + rest;
    this.#key += rest;
    return text;
  }

  end(): string {
    return this.#key ?? "";
  }

  #rename(key: string): string {
    const name = this.#names.get(String(parseJson(key)));
    return name === undefined ? key : JSON.stringify(name);
  }
}

const renameKeys = (text: string, names: Names): string => {
  const renamer = new KeyRenamer(names);
  return renamer.add(text) + renamer.end();
};

const invert = (names: Names): Names => new Map([...names].map(([name, sent]) => [sent, name]));

/** Puts the tools' own names back into the arguments of calls. */
function createRestore(namesByTool: ReadonlyMap<string, Names>): FittedRequest["restore"] {
  const open = new Map<string, KeyRenamer>();
  const restoreOne = (event: ChatEvent): ChatEvent[] => {
    if (!("block" in event)) return [event];
    const { choice, block } = event;
    const at = `${choice} ${block}`;
    if (event.type === "tool-call-start") {
      const names = namesByTool.get(event.name);
      if (names !== undefined) open.set(at, new KeyRenamer(invert(names)));
    } else if (event.type === "tool-call-delta") {
      const renamer = open.get(at);
      return renamer === undefined ? [event] : [{ ...event, arguments: renamer.add(event.arguments) }];
    } else if (event.type === "tool-call-end") {
      const rest = open.get(at)?.end() ?? "";
      open.delete(at);
      if (rest !== "") return [{ type: "tool-call-delta", choice, block, arguments: rest }, event];
    }
    return [event];
  };
  return (events) => events.flatMap(restoreOne);
}

/** The request with names that are accepted, in the history's calls too; undefined if all are. */
export function fitProperties(request: ChatRequest): FittedRequest | undefined {
  const namesByTool = new Map<string, Names>();
  for (const tool of request.tools) {
    const names = findNames(tool);
    if (names !== undefined) namesByTool.set(tool.name, names);
  }
  if (namesByTool.size === 0) return undefined;
  const tools = request.tools.map((tool) => {
    const names = namesByTool.get(tool.name);
    return names === undefined
      ? tool
      : { ...tool, parameters: renameParameters(tool.parameters ?? {}, names) };
  });
  const messages = request.messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => {
      const names = part.type === "tool-call" ? namesByTool.get(part.name) : undefined;
      return part.type === "tool-call" && names !== undefined
        ? { ...part, arguments: renameKeys(part.arguments, names) }
        : part;
    }),
  }));
  return { request: { ...request, tools, messages }, restore: createRestore(namesByTool) };
}
