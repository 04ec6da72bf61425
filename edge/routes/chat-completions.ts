/** POST /v1/chat/completions: OpenAI's dialect in, the same dialect out, JSON or server-sent events. */
import { createFactory } from "hono/factory";
import type { ChatEvent } from "../../shared/chat.ts";
import { GatewayError } from "../../shared/errors.ts";
import { writeCredits } from "../billing/price.ts";
import { buildChatCompletion } from "../dialects/openai/chat-completion.ts";
import { ChatCompletionRequest } from "../dialects/openai/chat-request.ts";
import { createChatStreamEncoder } from "../dialects/openai/chat-stream-encoder.ts";
import { decodeChatRequest } from "../dialects/openai/decode-chat-request.ts";
import { encodeOpenaiError } from "../dialects/openai/error-body.ts";
import { authenticate } from "../middleware/authenticate.ts";
import type { EdgeContext, EdgeEnv } from "../middleware/context.ts";
import { idempotency } from "../middleware/idempotency.ts";
import { jsonBody } from "../middleware/json-body.ts";
import { toGatewayError } from "../middleware/respond-error.ts";
import { validateJson } from "../middleware/validate-json.ts";
import { answerChat, type ChatAnswer } from "../pipeline/answer-chat.ts";
import { readInlineKeys } from "../providers/registry.ts";
import { createEventStream } from "../stream/event-stream.ts";

const keepAliveMs = 15_000;

/** Operator's cap on LLM calls of one request. */
const maxLlmCallsCap = 5;

type Envelope = { id: string; created: number; model: string };

export const chatCompletions = createFactory<EdgeEnv>().createHandlers(
  authenticate,
  jsonBody,
  validateJson(ChatCompletionRequest),
  idempotency,
  async (context) => {
    const { services, account, requestId, logFields } = context.var;
    const { model, request, includeUsage, svc } = decodeChatRequest(context.req.valid("json"));
    const input = {
      request,
      modelName: model,
      options: { planBlock: svc.plan !== "off", maxLlmCalls: Math.min(svc.maxLlmCalls ?? 1, maxLlmCallsCap) },
      account,
      inlineKeys: readInlineKeys(context.req.raw.headers),
      requestId,
      ...context.var.attempt,
    };
    const envelope = {
      id: `chatcmpl-${services.randomId()}`,
      created: Math.floor(services.now() / 1000),
      model,
    };
    const answer = await keepAlive(context, answerChat(input, services));
    logFields.model = answer.metadata.execution_llm;
    logFields.key_source = answer.metadata.key_source;
    if (answer.unsupported.length > 0) context.header("x-svc-unsupported", answer.unsupported.join(", "));
    return request.stream
      ? respondStream(context, answer, envelope, includeUsage)
      : keepAlive(context, respondJson(context, answer, envelope));
  },
);

/** The work goes on although the client leaves: what was used must be settled. */
function keepAlive<T>(context: EdgeContext, work: Promise<T>): Promise<T> {
  context.var.services.waitUntil(
    work.then(
      () => {},
      () => {},
    ),
  );
  return work;
}

async function respondJson(context: EdgeContext, answer: ChatAnswer, envelope: Envelope): Promise<Response> {
  const events: ChatEvent[] = [];
  for await (const batch of answer.events) events.push(...batch);
  const { metadata, usage, chargedMicro } = await answer.finish();
  const failure = events.at(-1);
  if (failure?.type === "error") throw new GatewayError(failure.code, failure.message);
  context.header("x-svc-credits-charged", writeCredits(chargedMicro));
  return context.json(buildChatCompletion(events, { ...envelope, svc: metadata, usage }));
}

async function respondStream(
  context: EdgeContext,
  answer: ChatAnswer,
  envelope: Envelope,
  includeUsage: boolean,
): Promise<Response> {
  const { services } = context.var;
  const encoder = createChatStreamEncoder({ ...envelope, includeUsage });

  async function* text(
    first: IteratorResult<ChatEvent[], void> | Promise<IteratorResult<ChatEvent[], void>>,
  ): AsyncGenerator<string, void, void> {
    yield encoder.first(answer.metadata);
    try {
      for (let next = await first; !next.done; next = await answer.events.next()) {
        const failure = next.value.at(-1);
        if (failure?.type === "error") {
          yield encoder.encode(next.value.slice(0, -1));
          await answer.finish();
          yield encoder.error(encodeOpenaiError(new GatewayError(failure.code, failure.message)));
          return;
        }
        yield encoder.encode(next.value);
      }
      const { metadata, usage } = await answer.finish();
      yield encoder.last(metadata, usage);
    } catch (error) {
      yield encoder.error(encodeOpenaiError(toGatewayError(error)));
    }
  }

  const first = await firstWords(answer, services.sleep);
  const leave = () => services.waitUntil(answer.finish().catch(() => {}));
  const body = createEventStream(text(first), { keepAliveMs, onLeave: leave });
  const headers = new Headers(context.res.headers);
  headers.set("content-type", "text/event-stream; charset=utf-8");
  headers.set("cache-control", "no-cache, no-transform");
  headers.set("x-accel-buffering", "no");
  return new Response(body, { headers });
}

/** How long the first events may hold the status back, milliseconds: an error at once is then an HTTP error. */
const firstWordsMs = 40;

async function firstWords(answer: ChatAnswer, sleep: (milliseconds: number) => Promise<void>) {
  const first = answer.events.next();
  const arrived = await Promise.race([first, sleep(firstWordsMs)]);
  const failure = arrived?.done === false ? arrived.value[0] : undefined;
  if (failure?.type === "error") {
    await answer.finish();
    throw new GatewayError(failure.code, failure.message);
  }
  return arrived ?? first;
}
