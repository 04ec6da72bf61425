/**
 * A chat request as the world model reads it: the goal, the state, the steps already taken, the tools.
 * Pure. The caller's text is only read here, never changed.
 */
import {
  type ChatMessage,
  type ChatRequest,
  type ContentPart,
  isInstruction,
  type ToolResultPart,
} from "../../shared/chat.ts";
import type { ModelSize } from "../../shared/model-sizes.ts";
import {
  maxNeedLetters,
  maxNeedsPerTool,
  maxPlanTools,
  maxPlanTurns,
  type PlanHistoryStep,
  type PlanRequest,
  type PlanTool,
  type PlanTurn,
} from "../../shared/planning.ts";
import { readChatGoal } from "./answered-question.ts";
import { readAsked } from "./asked-text.ts";
import { describeArguments } from "./call-arguments.ts";
import { isPlanMode } from "./plan-mode.ts";
import { bothEnds, cutText, newest, readText } from "./plan-text.ts";
import { describeResult, readReply } from "./result-text.ts";

/**
 * Lengths that are sent; the encoder reads less. A state keeps its end, results and descriptions their beginning. A message keeps
 * both ends, since a request stands before or after what is pasted.
 */
const maxStateChars = 6_000;
const maxGoalChars = 2_000;
const maxObservationChars = 1_000;
const maxToolDescriptionChars = 600;
/** Bound of the text of all user messages, newest first: `readAsked` takes two seconds for ten megabytes of tags. */
const maxAskedChars = 400_000;
/** Longest name of a call in the history, which the caller writes and which need not be one of the tools. */
const maxNameChars = 256;
const maxHistorySteps = 64;
/** Instructions keep their beginning, where role and rules usually stand. */
const maxInstructionChars = 1_200;

/**
 * The result of each call, by the call's part. Ids may repeat ("call_0" in each turn): a result belongs to the oldest call with its id that
 * has no result yet. A result whose call is missing, as in a cut history, is left out.
 */
function pairResults(messages: readonly ChatMessage[]): ReadonlyMap<ContentPart, ToolResultPart> {
  const open = new Map<string, { calls: ContentPart[]; answered: number }>();
  const paired = new Map<ContentPart, ToolResultPart>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === "tool-call") {
      const known = open.get(part.id);
      if (known === undefined) open.set(part.id, { calls: [part], answered: 0 });
      else known.calls.push(part);
    } else if (part.type === "tool-result") {
      const known = open.get(part.toolCallId);
      const call = known?.calls[known.answered];
      if (known === undefined || call === undefined) continue;
      known.answered += 1;
      paired.set(call, part);
    }
  }
  return paired;
}

/** The newest tool calls of the conversation with their results, oldest first: the plan's history, and the trace. */
export function readHistory(messages: readonly ChatMessage[]): PlanHistoryStep[] {
  const results = pairResults(messages);
  const steps = messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === "tool-call"
        ? [
            {
              action: cutText(part.name, maxNameChars),
              observation: cutText(readText(results.get(part)?.content ?? []), maxObservationChars),
            },
          ]
        : [],
    ),
  );
  return steps.slice(-maxHistorySteps);
}

/**
 * What each message asks for. Empty for messages of other roles, for user messages that hold only tool results or a program's
 * notes (these do not change the goal), and for user text older than the newest `maxAskedChars`.
 */
function readAskedOf(messages: readonly ChatMessage[]): string[] {
  let room = maxAskedChars;
  return messages
    .toReversed()
    .map(({ role, parts }) => {
      if (role !== "user" || room <= 0) return "";
      const text = readText(parts);
      room -= text.length;
      return readAsked(text);
    })
    .reverse();
}

function describeTurn({ role, parts }: ChatMessage): string {
  const lines = parts.map((part) => {
    if (part.type === "tool-call") return `called ${part.name} ${part.arguments}`;
    if (part.type === "tool-result") return `result ${readText(part.content).slice(0, maxObservationChars)}`;
    return part.type === "text" || part.type === "refusal" ? part.text : "";
  });
  const text = lines.filter((line) => line !== "").join("\n");
  return text === "" ? "" : `${role}: ${text}`;
}

/** The names under `required` of a tool's JSON Schema, which the caller writes and which may have any type. */
function readNeeds(parameters: Readonly<Record<string, unknown>> = {}): string[] {
  const { required } = parameters;
  if (!Array.isArray(required)) return [];
  const isRead = (name: unknown): name is string => typeof name === "string" && name.length <= maxNeedLetters;
  return required.filter(isRead).slice(0, maxNeedsPerTool);
}

function readTool({ name, description, parameters }: ChatRequest["tools"][number]): PlanTool {
  const needs = readNeeds(parameters);
  const told = { name, description: (description ?? "").slice(0, maxToolDescriptionChars) };
  return needs.length > 0 ? { ...told, needs } : told;
}

/** Claude Code sends a tool that only makes deferred tools loadable, and whose description says never to call it. */
const forbidsCalls = /\bnever call this tool *(?:[.!]|$)/i;

/**
 * The tools that are planned over, in the caller's order. Of tools with one name the first counts; a tool whose description says that
 * it is never to be called is left out. If more than `maxPlanTools` are left: the one that must be called, those that were called in
 * the conversation, then the first of the others.
 */
function chooseTools({ tools: offered, messages, toolChoice }: ChatRequest): ChatRequest["tools"] {
  const names = new Set<string>();
  const tools = offered.filter(
    ({ name, description }) => !forbidsCalls.test(description ?? "") && !names.has(name) && names.add(name),
  );
  if (tools.length <= maxPlanTools) return tools;
  const wanted = new Set(readHistory(messages).map(({ action }) => action));
  if (toolChoice?.type === "tool") wanted.add(toolChoice.name);
  const isWanted = ({ name }: { name: string }) => wanted.has(name);
  const others = maxPlanTools - tools.filter(isWanted).length;
  const kept = new Set(tools.filter((tool) => !isWanted(tool)).slice(0, others));
  return tools.filter((tool) => isWanted(tool) || kept.has(tool));
}

/** What `tool_choice` demands of the next step. */
function readDuty({ tools, toolChoice }: ChatRequest): Pick<PlanRequest, "mustCall"> {
  if (toolChoice?.type === "required") return { mustCall: {} };
  const isNamed = toolChoice?.type === "tool" && tools.some(({ name }) => name === toolChoice.name);
  return isNamed ? { mustCall: { tool: toolChoice.name } } : {};
}

/** The conversation as events, oldest first. Each call is followed by its own result, even if other messages stand between them. */
export function readTurns(messages: readonly ChatMessage[], asked = readAskedOf(messages)): PlanTurn[] {
  const results = pairResults(messages);
  return messages.flatMap((message, index) => {
    if (isInstruction(message)) return [];
    const { role, parts } = message;
    const said = bothEnds(role === "user" ? asked[index]! : readText(parts), maxGoalChars);
    const turns: PlanTurn[] =
      said === "" ? [] : [{ kind: role === "user" ? "user" : "assistant", text: said }];
    for (const part of parts) {
      if (part.type !== "tool-call") continue;
      const args = describeArguments(part.arguments);
      turns.push({ kind: "call", text: part.name.slice(0, maxNameChars), ...(args !== "" && { args }) });
      const result = results.get(part);
      if (result === undefined) continue;
      turns.push({ kind: "result", text: describeResult(result) });
      const reply = readReply(result);
      if (reply !== "") turns.push({ kind: "user", text: bothEnds(reply, maxGoalChars) });
    }
    return turns;
  });
}

/** The newest turns. If none of them is the user's, the user's last turn is put before them. */
function keepTurns(turns: readonly PlanTurn[]): PlanTurn[] {
  const kept = turns.slice(-maxPlanTurns);
  if (kept.some(({ kind }) => kind === "user")) return kept;
  const goal = turns.findLast(({ kind }) => kind === "user");
  return goal ? [goal, ...kept.slice(1)] : kept;
}

/** The world model's view of a request. `maxSteps` is 1 to 10. */
export function buildPlanRequest(request: ChatRequest, size: ModelSize, maxSteps = 5): PlanRequest {
  const { messages } = request;
  const asked = readAskedOf(messages);
  const goalIndex = asked.findLastIndex((text) => text !== "");
  const instructions = messages.filter(isInstruction).map(({ parts }) => readText(parts));
  const tools = request.toolChoice?.type === "none" ? [] : chooseTools(request).map(readTool);
  const talkAt = (at: number) => (messages[at]?.role === "assistant" ? readText(messages[at].parts) : "");
  const common = { size, tools, maxSteps, ...readDuty(request) };
  const join = (texts: readonly string[]) =>
    newest(texts.filter((text) => text !== "").join("\n"), maxStateChars);
  if (tools.length > 0) {
    const state = instructions.join("\n").slice(0, maxInstructionChars);
    const turns = keepTurns(readTurns(messages, asked));
    // With tools, the calls may act on what a pasted mail says. Without tools the LLM only does what is asked about it.
    const goal = turns.findLast(({ kind }) => kind === "user")?.text ?? "";
    const mode = isPlanMode(messages) ? { changesNothing: true as const } : {};
    return { ...common, ...mode, goal, state, history: [], turns };
  }
  const goal = bothEnds(readChatGoal(asked, talkAt, goalIndex), maxGoalChars);
  const earlier = messages
    .filter((message, index) => index !== goalIndex && !isInstruction(message))
    .map(describeTurn);
  const history = readHistory(messages);
  return { ...common, goal, state: join([...instructions, ...earlier]), history, turns: [] };
}

/**
 * Goal and state of a rollout, cut to the lengths of a conversation's. Uncut, splitting nine megabytes into parts took two
 * seconds of a worker's thread, for the price of the 256 tokens that are encoded.
 */
export const cutRollout = (goal: string, state: string | undefined): { goal: string; state?: string } => ({
  goal: bothEnds(goal, maxGoalChars),
  ...(state?.trim() && { state: newest(state.trim(), maxStateChars) }),
});
