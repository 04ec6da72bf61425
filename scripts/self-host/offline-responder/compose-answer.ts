/** The offline responder's answer: a short text made from the plan and the goal, or the tool call that the plan recommends. */
import { z } from "zod";
import { type PlanBlock, readPlanBlock } from "../../../shared/plan-block.ts";
import { makePlaceholder } from "./placeholder.ts";

const Part = z.looseObject({ type: z.string(), text: z.string().nullish() });
const Schema = z.record(z.string(), z.unknown());

/** The fields of a chat completion request that are read. */
export const OfflineRequest = z.looseObject({
  model: z.string().nullish(),
  messages: z
    .array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(Part)]).nullish() }))
    .min(1),
  tools: z
    .array(z.looseObject({ function: z.looseObject({ name: z.string(), parameters: Schema.nullish() }) }))
    .nullish(),
  tool_choice: z
    .union([z.string(), z.looseObject({ function: z.looseObject({ name: z.string() }) })])
    .nullish(),
  response_format: z
    .looseObject({ type: z.string(), json_schema: z.looseObject({ schema: Schema.nullish() }).nullish() })
    .nullish(),
  stream: z.boolean().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  n: z.int().min(1).max(16).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
});
export type OfflineRequest = z.infer<typeof OfflineRequest>;

export type OfflineAnswer =
  | { kind: "text"; text: string }
  | { kind: "tool-call"; name: string; arguments: string };

const notice =
  "This is the svc offline responder: no language model is connected. " +
  "To get real answers set POOL_ROUTER_KEY, " +
  "or ROUTER_BASE_URL with POOL_ROUTER_KEY=none for a local server (Ollama, vLLM, llama.cpp).";

/** The answer to a request; always the same for the same request. */
export function composeAnswer(request: OfflineRequest): OfflineAnswer {
  const goal = readGoal(request);
  const plan = readPlan(request);
  const tool = chooseTool(request, plan);
  if (tool) {
    const value = makePlaceholder(tool.function.parameters ?? {}, goal);
    return { kind: "tool-call", name: tool.function.name, arguments: JSON.stringify(value) };
  }
  const { response_format: format } = request;
  if (format?.type === "json_schema") {
    return { kind: "text", text: JSON.stringify(makePlaceholder(format.json_schema?.schema ?? {}, goal)) };
  }
  if (format?.type === "json_object") {
    return { kind: "text", text: JSON.stringify({ notice, goal, plan: plan?.actions ?? [] }) };
  }
  const sentences = [notice, goal && `You asked: “${goal}”`, describePlan(plan), describeResult(request)];
  return { kind: "text", text: sentences.filter((sentence) => sentence).join("\n\n") };
}

function describePlan(plan: PlanBlock | undefined): string {
  if (!plan) return "";
  if (plan.actions.length === 0)
    return `The world model expects one of these tools next: ${plan.likelyTools.join(", ")}`;
  const steps = plan.actions.map((action, index) => `${index + 1}. ${action.replaceAll("_", " ")}`);
  return `The world model plans these steps:\n${steps.join("\n")}`;
}

function describeResult(request: OfflineRequest): string {
  const results = listResults(request);
  return results.length === 0 ? "" : `The last tool answered: ${shorten(results.at(-1)!)}`;
}

function chooseTool({ tools, tool_choice: choice, ...request }: OfflineRequest, plan: PlanBlock | undefined) {
  if (!tools || tools.length === 0 || choice === "none") return undefined;
  const find = (name: string | undefined) => tools.find((tool) => tool.function.name === name);
  if (typeof choice === "object" && choice !== null) return find(choice.function.name);
  const recommended = find(plan?.tool);
  if (choice === "required") return recommended ?? find(plan?.likelyTools[0]) ?? tools[0];
  return listResults(request).length === 0 ? recommended : undefined;
}

/** Tool results since the user's last message. */
function listResults({ messages }: Pick<OfflineRequest, "messages">): string[] {
  return messages
    .slice(messages.findLastIndex(isSaid) + 1)
    .filter(({ role }) => role === "tool")
    .map((message) => listTexts(message).join("\n"));
}

function readGoal({ messages }: OfflineRequest): string {
  const user = messages.findLast(isSaid);
  return user ? shorten(listWords(user).join("\n")) : "";
}

/** The plan block of this turn: at the end of the newest user message, or a message of its own after a tool's result. */
function readPlan({ messages }: OfflineRequest): PlanBlock | undefined {
  const newest = messages.findLast(({ role }) => role === "user");
  return (
    newest &&
    listTexts(newest)
      .flatMap((text) => readPlanBlock(text) ?? [])
      .at(-1)
  );
}

/** The user's text, without the gateway's. */
const listWords = (message: OfflineRequest["messages"][number]): string[] =>
  listTexts(message).filter((text) => !text.startsWith("[svc "));

const isSaid = (message: OfflineRequest["messages"][number]): boolean =>
  message.role === "user" && listWords(message).length > 0;

function listTexts({ content }: OfflineRequest["messages"][number]): string[] {
  if (typeof content === "string") return [content];
  return (content ?? []).flatMap(({ text }) => text ?? []);
}

function shorten(text: string): string {
  const trimmed = text.trim().replace(/\s+/g, " ");
  return trimmed.length <= 300 ? trimmed : `${trimmed.slice(0, 299)}…`;
}
