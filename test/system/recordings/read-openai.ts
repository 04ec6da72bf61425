/**
 * OpenAI's chat completion chunks (and of servers that imitate it), after platform.openai.com/docs/api-reference/
 * chat-streaming; xAI's usage keeps reasoning beside the completion, DeepSeek names cached tokens its own way.
 */
import {
  count,
  type ExpectedAnswer,
  type ExpectedUsage,
  type Line,
  list,
  parseArguments,
  record,
  string,
} from "./expected-answer.ts";

const finishes: Readonly<Record<string, ExpectedAnswer["finish"]>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
};

type Call = { index: unknown; id: string; name: string; text: string };

/** The call a delta goes on with: the latest of its index, unless it brings another id. */
function findCall(calls: Call[], delta: Line): Call {
  const id = string(delta.id);
  const known = calls.findLast(({ index }) => index === delta.index);
  const whole = delta.index === undefined && id === "" && string(record(delta.function).name) !== "";
  if (known !== undefined && !whole && (id === "" || known.id === "" || known.id === id)) return known;
  const call: Call = { index: delta.index, id, name: "", text: "" };
  calls.push(call);
  return call;
}

function readCall(calls: Call[], delta: Line): void {
  const call = findCall(calls, delta);
  const { name, arguments: piece } = record(delta.function);
  call.id ||= string(delta.id);
  call.name ||= string(name);
  // An empty object that the real arguments follow is a placeholder.
  const replaces = call.text === "{}" && string(piece) !== "";
  const text = typeof piece === "object" && piece !== null ? JSON.stringify(piece) : string(piece);
  call.text = replaces ? text : call.text + text;
}

function readContent(delta: Line): { text: string; thought: string } {
  if (!Array.isArray(delta.content)) return { text: string(delta.content), thought: "" };
  const parts = list(delta.content);
  return {
    text: parts.map((part) => (part.type === "text" ? string(part.text) : "")).join(""),
    thought: parts.flatMap((part) => list(part.thinking).map((piece) => string(piece.text))).join(""),
  };
}

function readUsage(usage: Line): ExpectedUsage {
  const cached = record(usage.prompt_tokens_details).cached_tokens ?? usage.prompt_cache_hit_tokens;
  return {
    prompt: count(usage.prompt_tokens),
    completion: count(usage.completion_tokens),
    total: count(usage.total_tokens),
    cached: count(cached ?? usage.cached_tokens),
    reasoning: count(record(usage.completion_tokens_details).reasoning_tokens),
  };
}

export function readOpenai(lines: readonly Line[]): ExpectedAnswer {
  const answer = { text: "", reasoning: "", refusal: "" };
  const calls: Call[] = [];
  let finish = "";
  let usage: Line | undefined;
  let failure: string | undefined;
  for (const line of lines) {
    if (line.error !== undefined && line.error !== null) failure = string(record(line.error).message);
    const [choice] = list(line.choices).filter(({ index }) => index === undefined || index === 0);
    const delta = record(choice?.delta);
    const { text, thought } = readContent(delta);
    answer.text += text;
    answer.reasoning += thought || string(delta.reasoning_content) || string(delta.reasoning);
    answer.refusal += string(delta.refusal);
    for (const call of list(delta.tool_calls)) readCall(calls, call);
    finish ||= string(choice?.finish_reason);
    // Groq has them in a field of its own, Moonshot beside the choice.
    const counts = line.usage ?? record(line.x_groq).usage ?? choice?.usage;
    if (counts !== undefined && counts !== null) usage = record(counts);
  }
  const reason = finishes[finish] ?? "stop";
  return {
    ...answer,
    calls: calls.map(({ name, text }) => ({ name, arguments: parseArguments(text) })),
    // A call forced by its name ends with `stop`: the client runs it all the same.
    finish: reason === "stop" && calls.length > 0 ? "tool_calls" : reason,
    usage: usage && readUsage(usage),
    failure,
    reply: writeReply(answer, calls, finish, usage, lines[0]),
  };
}

function writeReply(
  { text, reasoning, refusal }: { text: string; reasoning: string; refusal: string },
  calls: readonly Call[],
  finish: string,
  usage: Line | undefined,
  first: Line | undefined,
): unknown {
  const message = {
    role: "assistant",
    content: text === "" && (calls.length > 0 || refusal !== "") ? null : text,
    refusal: refusal === "" ? null : refusal,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call, index) => ({
        id: call.id || `call_${index}`,
        type: "function",
        function: { name: call.name, arguments: call.text },
      })),
    }),
  };
  return {
    id: first?.id,
    object: "chat.completion",
    created: first?.created,
    model: first?.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish || "stop" }],
    ...(usage !== undefined && { usage }),
  };
}
