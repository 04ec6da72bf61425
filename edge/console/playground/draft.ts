/** The form's content, and the request that it makes. Pure. */

export const toolChoices = ["auto", "required", "none"] as const;

export type Parameters = {
  temperature: string;
  maxTokens: string;
  topP: string;
  seed: string;
  toolChoice: (typeof toolChoices)[number];
  maxLlmCalls: string;
};

export type Draft = {
  model: string;
  /** The system message: the current state. */
  state: string;
  /** The first user message. */
  goal: string;
  /** JSON text: an array of tools. */
  tools: string;
  parameters: Parameters;
  /** Send a second request with the plan kept from the LLM. */
  compare: boolean;
};

export const emptyParameters: Parameters = {
  temperature: "",
  maxTokens: "",
  topP: "",
  seed: "",
  toolChoice: "auto",
  maxLlmCalls: "",
};

export type WireToolCall = { id: string; type: "function"; function: { name: string; arguments: string } };
export type WireMessage =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; content: string | null; tool_calls?: WireToolCall[] }
  | { role: "tool"; tool_call_id: string; content: string };
export type Tool = {
  type: "function";
  function: { name: string; description?: string; parameters?: unknown };
};

/** A request without its messages. */
export type RequestSettings = { model: string; tools?: Tool[] } & Record<string, unknown>;
export type Reading<Value> = { ok: true; value: Value } | { ok: false; message: string };

const numbers = [
  { field: "temperature", wire: "temperature", label: "Temperature", whole: false, from: 0, to: 2 },
  { field: "topP", wire: "top_p", label: "Top p", whole: false, from: 0, to: 1 },
  { field: "maxTokens", wire: "max_tokens", label: "Max tokens", whole: true, from: 1, to: 1_000_000 },
  { field: "seed", wire: "seed", label: "Seed", whole: true, from: 0, to: 2 ** 31 - 1 },
] as const;

/** The settings of a draft, or its first mistake. */
export function readSettings(draft: Draft): Reading<RequestSettings> {
  const { parameters } = draft;
  const settings: RequestSettings = { model: draft.model.trim() };
  if (settings.model === "") return { ok: false, message: "Choose a model." };
  for (const { field, wire, label, whole, from, to } of numbers) {
    const read = readNumber(parameters[field], { label, whole, from, to });
    if (!read.ok) return read;
    if (read.value !== undefined) settings[wire] = read.value;
  }
  const calls = readNumber(parameters.maxLlmCalls, { label: "LLM calls", whole: true, from: 1, to: 10 });
  if (!calls.ok) return calls;
  if (calls.value !== undefined && calls.value > 1) settings.svc = { max_llm_calls: calls.value };
  const tools = readTools(draft.tools);
  if (!tools.ok) return tools;
  if (tools.value.length > 0) {
    settings.tools = tools.value;
    if (parameters.toolChoice !== "auto") settings.tool_choice = parameters.toolChoice;
  }
  return { ok: true, value: settings };
}

type Range = { label: string; whole: boolean; from: number; to: number };

function readNumber(text: string, { label, whole, from, to }: Range): Reading<number | undefined> {
  if (text.trim() === "") return { ok: true, value: undefined };
  const value = Number(text);
  if (Number.isFinite(value) && value >= from && value <= to && (!whole || Number.isInteger(value)))
    return { ok: true, value };
  const kind = whole ? "a whole number" : "a number";
  return { ok: false, message: `${label} is ${kind} from ${from} to ${to}.` };
}

/** Tools as OpenAI writes them, or only their `function` parts. Empty text: none. */
export function readTools(text: string): Reading<Tool[]> {
  if (text.trim() === "") return { ok: true, value: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, message: `The tools are not valid JSON: ${(error as Error).message}.` };
  }
  if (!Array.isArray(value)) return { ok: false, message: "The tools are a JSON array: [ … ]." };
  const tools = value.map(readTool);
  const odd = tools.indexOf(undefined);
  if (odd === -1) return { ok: true, value: tools as Tool[] };
  return {
    ok: false,
    message: `Tool ${odd + 1} has no name: write {"name": …, "description": …, "parameters": …}.`,
  };
}

function readTool(value: unknown): Tool | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const body: unknown = "function" in value ? value.function : value;
  if (typeof body !== "object" || body === null || !("name" in body) || typeof body.name !== "string")
    return undefined;
  return { type: "function", function: body as Tool["function"] };
}

/** The first messages of a conversation. */
export function openingMessages({ state, goal }: Pick<Draft, "state" | "goal">): WireMessage[] {
  const user: WireMessage = { role: "user", content: goal };
  return state.trim() === "" ? [user] : [{ role: "system", content: state }, user];
}
