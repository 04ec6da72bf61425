/**
 * POST /v1/responses: OpenAI's newer dialect in, the same dialect out, JSON or server-sent events. POST /v1/responses/compact: the
 * same for a conversation that is to be shortened, in JSON.
 */
import { GatewayError } from "../../shared/errors.ts";
import { writeOpenaiError } from "../dialects/caller/openai/write-error.ts";
import { toldInStream } from "../dialects/caller/responses/codex-errors.ts";
import { expandReferences, refersToItems } from "../dialects/caller/responses/item-ids.ts";
import { readResponsesRequest, renameOmission } from "../dialects/caller/responses/read-request.ts";
import { refuseStateful } from "../dialects/caller/responses/refuse-stateful.ts";
import { ResponsesRequest } from "../dialects/caller/responses/schema.ts";
import {
  appendTrigger,
  buildCompaction,
  repeatUserMessages,
} from "../dialects/caller/responses/write-compaction.ts";
import { buildResponse, type Envelope, responseIdPrefix } from "../dialects/caller/responses/write-reply.ts";
import { createResponseStreamWriter } from "../dialects/caller/responses/write-stream.ts";
import { listCustomTools } from "../dialects/custom-tools.ts";
import { authenticateCachedFor } from "../middleware/authenticate.ts";
import { claimAnswerMemory, claimMemory, largeBodyBytes } from "../middleware/claim-memory.ts";
import { createHandlers, type EdgeContext, type EdgeMiddleware } from "../middleware/context.ts";
import { idempotency } from "../middleware/idempotency.ts";
import { limitConcurrency } from "../middleware/limit-concurrency.ts";
import { permitModels } from "../middleware/permit-models.ts";
import { jsonBody, validateJson } from "../middleware/request-body.ts";
import { type AnswerWriter, respondChat } from "./respond-answer.ts";

/**
 * Vercel's AI SDK refers to the items of earlier answers by id unless its caller sets `store: false`. The name at the front of its
 * `user-agent` differs: agents and callers replace `ai/…` and `ai-sdk-openai/…`. The SDK's part that sends the request always adds
 * `ai-sdk/provider-utils/4.0.1`, from version 7 on `ai-sdk-provider-utils/5.0.1`.
 */
const referringClients = /\bai-sdk[/-]/;

/** Replaces references by their items, so that later code reads whole items only. */
export const wholeItems: EdgeMiddleware = async (context, next) => {
  const body = context.get("body");
  refuseStateful(body);
  if (refersToItems(body)) {
    const { input, ...rest } = body as { input: unknown[] };
    const claim = async (bytes: number) => {
      if (bytes > largeBodyBytes) await (await claimMemory(context, bytes)).wasRead(bytes, 1);
    };
    context.set("body", { ...rest, input: await expandReferences(input, claim) });
  }
  await next();
};

/** How a complete answer is written in JSON. */
type BodyWriter = AnswerWriter["buildBody"];
type Kind = {
  /** Makes the body one of POST /v1/responses. */
  prepare: EdgeMiddleware;
  prepareBody(context: EdgeContext, envelope: Envelope, body: ResponsesRequest): Promise<BodyWriter>;
};

const handlersOf = ({ prepare, prepareBody }: Kind) =>
  createHandlers(
    authenticateCachedFor("responses"),
    limitConcurrency,
    jsonBody,
    wholeItems,
    prepare,
    validateJson(ResponsesRequest),
    permitModels,
    idempotency,
    async (context) => {
      const { services, attempt } = context.var;
      const body = context.req.valid("json");
      const { echo, unsupported, toolNames, searches, compacts, ...asked } = readResponsesRequest(body);
      const { tools, stream } = asked.request;
      const referring = referringClients.test(context.req.header("user-agent") ?? "");
      const envelope: Envelope = {
        id: attempt.holdId,
        createdAt: Math.floor(services.now() / 1000),
        model: asked.model,
        echo,
        customTools: listCustomTools(tools),
        toolNames,
        searches,
        compacts,
        // A stream sends ids before their items are whole, so only clients known to send references get the carrier item.
        refers: body.store !== false && (referring || !stream),
        now: services.now,
      };
      const buildBody = await prepareBody(context, envelope, body);
      try {
        return await respondChat(context, asked, createWriter(envelope, unsupported, buildBody));
      } catch (error) {
        const tells = stream && error instanceof GatewayError && toldInStream(error, context.req.raw.headers);
        if (!tells) throw error;
        context.get("logFields").code = error.code;
        const text = createResponseStreamWriter(envelope, "openai").error(error, writeOpenaiError(error));
        return context.body(text, 200, { "content-type": "text/event-stream; charset=utf-8" });
      }
    },
  );

const createWriter = (
  envelope: Envelope,
  unsupported: readonly string[],
  buildBody: BodyWriter,
): AnswerWriter => ({
  idPrefix: responseIdPrefix,
  keepsStream: true,
  createStream({ dialect, metadata }) {
    const writer = createResponseStreamWriter(envelope, dialect);
    return {
      first: () => writer.first(metadata()),
      write: writer.write,
      last: ({ metadata: svc, usage }) => writer.last({ svc, usage }),
      error: (error) => writer.error(error, writeOpenaiError(error)),
    };
  },
  buildBody,
  nameUnsupported: (names) => [...unsupported, ...names.map(renameOmission)],
});

export const responses = handlersOf({
  prepare: (_context, next) => next(),
  prepareBody:
    async (_context, envelope) =>
    (events, { metadata, usage }, { dialect }) =>
      buildResponse(events, envelope, { svc: metadata, usage, provider: dialect }),
});

export const compaction = handlersOf({
  async prepare(context, next) {
    context.set("body", appendTrigger(context.get("body")));
    await next();
  },
  async prepareBody(context, envelope, { input }) {
    const messages = repeatUserMessages(input, envelope.id);
    // The answer repeats them, up to the size of the body.
    await claimAnswerMemory(context)(JSON.stringify(messages).length);
    return (events, { metadata, usage }) =>
      buildCompaction(events, envelope, { svc: metadata, usage }, messages);
  },
});
