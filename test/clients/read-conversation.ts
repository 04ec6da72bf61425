/** What an agent sent to a provider, read from any wire format: the tools it offers and the results that came back since its task. */
import type { FakeRequest } from "../support/fake-provider.ts";

export type OfferedTool = {
  name: string;
  parameters: readonly string[];
  types: Readonly<Record<string, unknown>>;
};
export type Conversation = {
  tools: OfferedTool[];
  /** Texts of tool results, oldest first, grouped by the turn of the model that they answer. */
  results: string[][];
  /** Everything that was sent. */
  text: string;
};

type Json = Record<string, unknown>;
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const recordOf = (value: unknown): Json =>
  typeof value === "object" && value !== null ? (value as Json) : {};
const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

function describeTool(name: unknown, schema: unknown): OfferedTool {
  const types = recordOf(recordOf(schema).properties);
  return { name: String(name), parameters: Object.keys(types), types };
}

/** Results one after another belong to one turn. */
function group(messages: readonly (string[] | undefined)[]): string[][] {
  const groups: string[][] = [];
  let open = false;
  for (const results of messages) {
    if (results === undefined) open = false;
    else if (open) groups.at(-1)!.push(...results);
    else {
      groups.push([...results]);
      open = true;
    }
  }
  return groups;
}

const readers: Readonly<Record<FakeRequest["kind"], (body: Json) => Omit<Conversation, "text">>> = {
  alpha: readOpenai,
  router: readOpenai,
  beta: (body) => ({
    tools: listOf(body.tools).map((tool) => describeTool(tool.name, tool.input_schema)),
    results: group(
      listOf(body.messages).map(({ content }) => {
        const results = listOf(content).filter(({ type }) => type === "tool_result");
        return results.length > 0 ? results.map((result) => textOf(result.content)) : undefined;
      }),
    ),
  }),
  gamma: (body) => ({
    tools: listOf(body.tools)
      .flatMap((tool) => listOf(tool.functionDeclarations))
      .map((tool) => describeTool(tool.name, tool.parametersJsonSchema ?? tool.parameters)),
    results: group(
      listOf(body.contents).map(({ parts }) => {
        const results = listOf(parts).filter((part) => "functionResponse" in part);
        return results.length > 0 ? results.map((part) => textOf(part.functionResponse)) : undefined;
      }),
    ),
  }),
};

function readOpenai(body: Json): Omit<Conversation, "text"> {
  return {
    tools: listOf(body.tools).map((tool) => {
      const own = recordOf(tool.function ?? tool.custom);
      return describeTool(own.name, own.parameters);
    }),
    results: group(
      listOf(body.messages).map(({ role, content }) => (role === "tool" ? [textOf(content)] : undefined)),
    ),
  };
}

export function readConversation({ kind, body }: FakeRequest): Conversation {
  return { ...readers[kind](recordOf(body)), text: JSON.stringify(body) };
}
