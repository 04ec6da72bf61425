/**
 * A provider's model as agents know it: it thinks, says a word, calls two tools at once, reads what came back, calls another,
 * and ends in a text. What it does is asked for by a mark in the task.
 */
import { randomBytes } from "node:crypto";
import type { FakeRequest, FakeScript } from "../support/fake-provider.ts";
import { type Conversation, type OfferedTool, readConversation } from "./read-conversation.ts";

/** Words of a task that say which scene it is. */
export const marks = {
  text: "SCENE-TEXT",
  tools: "SCENE-TOOLS",
  object: "SCENE-OBJECT",
  error: "SCENE-ERROR",
  abort: "SCENE-ABORT",
} as const;
export const spoken = "The heron stands in the reeds.";
/** What the provider says of a request that it does not take. */
const refusal = "the heron does not take this request (E-4711)";
/** Files of the workspace that the model reads, each with a word only it has. */
export const notes = { "first.txt": "WORD-ONE-81", "second.txt": "WORD-TWO-93" } as const;
/** A file that the model has written. */
export const written = { file: "written.txt", text: "heron-5521" } as const;
/** An object of a type that the caller gave. */
export const seen = { bird: "heron-7734", legs: 2 } as const;

type Call = { id?: string; name: string; arguments: Record<string, unknown> };

const readers = /^(mcp__files__)?(read|read_file|readfile|view)$/i;
const writers = /^(mcp__files__)?(write|write_file|writefile|create_file)$/i;
const shells =
  /^(bash|shell|shell_command|exec_command|run_shell_command|run_terminal_command|run_commands|local_shell|execute|container\.exec)$/i;
const pathNames = ["file_path", "filePath", "absolute_path", "filepath", "path", "target_file"];
const commandNames = ["command", "cmd", "commands"];

const pick = (names: readonly string[], { parameters }: OfferedTool): string | undefined =>
  names.find((name) => parameters.includes(name));

function runShell(tool: OfferedTool, command: string): Call {
  const name = pick(commandNames, tool) ?? "command";
  const isList = (tool.types[name] as { type?: unknown } | undefined)?.type === "array";
  const words = name === "commands" ? [command] : ["bash", "-lc", command];
  const extra = tool.parameters.includes("description") ? { description: "Works on a file" } : {};
  return {
    name: tool.name,
    arguments: {
      [name]: isList ? words : command,
      ...extra,
      ...(tool.parameters.includes("summary") && { summary: "Work on a file" }),
      ...(tool.parameters.includes("is_background") && { is_background: false }),
    },
  };
}

/** A call that reads the file; undefined if the agent offers no tool for it. */
function callRead({ tools }: Conversation, path: string): Call | undefined {
  const reader = tools.find(({ name }) => readers.test(name));
  const argument = reader && pick(pathNames, reader);
  if (reader && argument) return { name: reader.name, arguments: { [argument]: path } };
  const shell = tools.find(({ name }) => shells.test(name));
  return shell && runShell(shell, `cat ${path}`);
}

function callWrite({ tools }: Conversation, path: string, text: string): Call | undefined {
  const shell = tools.find(({ name }) => shells.test(name));
  if (shell) return runShell(shell, `printf %s ${text} > ${path}`);
  const writer = tools.find(({ name }) => writers.test(name));
  const argument = writer && pick(pathNames, writer);
  const content = writer && pick(["content", "contents", "text"], writer);
  return writer && argument && content
    ? { name: writer.name, arguments: { [argument]: path, [content]: text } }
    : undefined;
}

/** Answers with the object: some callers give its type as a tool to be called, others as the format of the answer. */
function playObject({ tools, results }: Conversation): FakeScript {
  const typed = tools.find(({ parameters }) => Object.keys(seen).every((name) => parameters.includes(name)));
  return typed && results.length === 0
    ? { toolCalls: [{ name: typed.name, arguments: seen }] }
    : { text: JSON.stringify(seen) };
}

/** Calls the tool by which an agent hands over to another, if there is one. */
const handOver = ({ tools }: Conversation): FakeScript | undefined => {
  const to = tools.find(({ name }) => name.startsWith("transfer_to_"));
  return to && { toolCalls: [{ name: to.name, arguments: {} }] };
};
/** The result of that tool, which the other agent reads among the results of tools. */
const handedOver = /assistant|transferred/i;

function playTools(conversation: Conversation, workspace: string): FakeScript {
  const results = conversation.results.filter((texts) => !handedOver.test(texts.join()));
  if (results.length === 0) {
    const calls = Object.keys(notes).map((file) => callRead(conversation, `${workspace}/${file}`));
    return {
      reasoning: "Two files are to be read.",
      text: "Let me read both.",
      toolCalls: calls.filter((call) => call !== undefined),
    };
  }
  if (results.length === 1) {
    const call = callWrite(conversation, `${workspace}/${written.file}`, written.text);
    return { reasoning: "Now the answer is written down.", ...(call && { toolCalls: [call] }) };
  }
  const words = Object.values(notes).filter((word) => results[0]!.join().includes(word));
  return { text: `${spoken} The files say ${words.join(" and ")}.` };
}

/** Gives the answer and its calls new ids, as providers do. Gemini's calls have none: the answer's id tells them apart. */
function nameCalls({ toolCalls = [], ...script }: FakeScript, { kind }: FakeRequest): FakeScript {
  const id = () => randomBytes(12).toString("hex");
  const prefix = kind === "beta" ? "toolu_" : "call_";
  const named = toolCalls.map((call) => (kind === "gamma" ? call : { ...call, id: prefix + id() }));
  return { ...script, toolCalls: named, responseId: id() };
}

const usage = { input: 900, output: 60, cachedInput: 600, reasoning: 10 };

/** For FakeProvider.respond, of any kind. */
export const createAgentModel =
  (workspaceOf: () => string) =>
  (request: FakeRequest): FakeScript => {
    const conversation = readConversation(request);
    const { text } = conversation;
    if (text.includes(marks.error)) return { status: 400, text: refusal };
    const play = (script: FakeScript) => ({
      ...nameCalls(handOver(conversation) ?? script, request),
      usage,
    });
    if (text.includes(marks.object)) return play(playObject(conversation));
    // Titles, topics and the like: requests beside the task.
    if (conversation.tools.length === 0 && !text.includes(marks.text) && !text.includes(marks.abort))
      return { text: "A title", usage };
    if (text.includes(marks.tools)) return play(playTools(conversation, workspaceOf()));
    if (text.includes(marks.abort))
      return { text: `${spoken} ${"And it waits on. ".repeat(200)}`, frameDelayMs: 100, usage };
    return { text: spoken, reasoning: "A greeting.", frameDelayMs: 20, usage };
  };
