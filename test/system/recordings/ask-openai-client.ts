/**
 * The ways a caller reads an answer with the official `openai` client. Each gives the same plain facts of it,
 * taken from what the client hands out; the chunk-wise way joins them as the client's documentation says.
 */
import type OpenAI from "openai";
import { type ExpectedAnswer, parseOrKeep } from "./expected-answer.ts";
import type { ReplayWay } from "./replay-suite.ts";

/** What a caller has in hand; `failure` is the message of the error the client threw. */
export type ReadAnswer = Omit<ExpectedAnswer, "reply">;

type Request = { model: string; messages: OpenAI.ChatCompletionMessageParam[] };
type Message = OpenAI.ChatCompletionMessage & { reasoning_content?: string };

function readUsage(usage: OpenAI.CompletionUsage | null | undefined): ReadAnswer["usage"] {
  if (!usage) return undefined;
  return {
    prompt: usage.prompt_tokens,
    completion: usage.completion_tokens,
    total: usage.total_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}

function readCompletion({ choices, usage }: OpenAI.ChatCompletion): ReadAnswer {
  const [choice] = choices;
  const message = choice!.message as Message;
  return {
    text: message.content ?? "",
    reasoning: message.reasoning_content ?? "",
    refusal: message.refusal ?? "",
    calls: (message.tool_calls ?? []).map((call) => {
      if (call.type !== "function") throw new Error(`a tool call of type ${call.type}`);
      return { name: call.function.name, arguments: parseOrKeep(call.function.arguments) };
    }),
    finish: choice!.finish_reason as ReadAnswer["finish"],
    usage: readUsage(usage),
    failure: undefined,
  };
}

/** `create({stream: true})`, chunk by chunk; throws where a chunk breaks what clients rely on. */
async function readChunks(client: OpenAI, request: Request): Promise<ReadAnswer> {
  const stream = await client.chat.completions.create({
    ...request,
    stream: true,
    stream_options: { include_usage: true },
  });
  const answer = { text: "", reasoning: "", refusal: "" };
  const calls: { name: string; text: string }[] = [];
  let finish: string | undefined;
  let usage: OpenAI.CompletionUsage | null | undefined;
  for await (const chunk of stream) {
    if (usage) throw new Error("a chunk after the usage");
    usage = chunk.usage;
    for (const { delta, finish_reason: reason } of chunk.choices) {
      if (finish !== undefined) throw new Error("a choice after its finish_reason");
      answer.text += delta.content ?? "";
      answer.refusal += delta.refusal ?? "";
      answer.reasoning += (delta as Message).reasoning_content ?? "";
      for (const call of delta.tool_calls ?? []) {
        if (call.index === calls.length) {
          if (!call.id || call.type !== "function" || !call.function?.name) {
            throw new Error("a tool call whose first delta lacks id, type or name");
          }
          calls.push({ name: call.function.name, text: "" });
        }
        calls[call.index]!.text += call.function?.arguments ?? "";
      }
      finish = reason ?? finish;
    }
  }
  return {
    ...answer,
    calls: calls.map(({ name, text }) => ({ name, arguments: parseOrKeep(text) })),
    finish: finish as ReadAnswer["finish"],
    usage: readUsage(usage),
    failure: undefined,
  };
}

/** The client's helper keeps only the last piece of a field that is not OpenAI's, so reasoning is left out. */
async function readByHelper(client: OpenAI, request: Request): Promise<Partial<ReadAnswer>> {
  const stream = client.chat.completions.stream({ ...request, stream_options: { include_usage: true } });
  const { reasoning: _reasoning, ...answer } = readCompletion(await stream.finalChatCompletion());
  return answer;
}

type Way = ReplayWay & {
  /** What this way can show: every field, or those the client's helper joins. */
  ask: (client: OpenAI, request: Request) => Promise<Partial<ReadAnswer>>;
};

const askJson: Way["ask"] = async (client, request) =>
  readCompletion(await client.chat.completions.create(request));

export const ways: readonly Way[] = [
  { name: "as a stream, chunk by chunk", provider: "stream", ask: readChunks },
  { name: "as a stream, by the client's .stream() helper", provider: "stream", ask: readByHelper },
  { name: "as JSON, from the provider's stream", provider: "stream", ask: askJson },
  { name: "as JSON, from the provider's JSON", provider: "reply", ask: askJson },
];
