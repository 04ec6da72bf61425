/** GET /v1/generation?id=: a past request of the account: models, tokens, plan, charge, times; no texts. */
import { toCredits } from "../../shared/credits.ts";
import { GatewayError } from "../../shared/errors.ts";
import { readGeneration } from "../billing/generation.ts";
import { writeFinishReason } from "../dialects/caller/openai/write-end.ts";
import { authenticate } from "../middleware/authenticate.ts";
import { createHandlers } from "../middleware/context.ts";
import { noStore } from "../middleware/no-store.ts";

type Row = NonNullable<Awaited<ReturnType<typeof readGeneration>>>;

/** The answer's own id, whichever id was asked for; undefined for requests without notes (embeddings, rollouts). */
const writeAnswerId = ({ generation, holdId }: Row): string | undefined =>
  generation?.answerId ?? (generation?.idPrefix && `${generation.idPrefix}${holdId}`);

function describe(asked: string, row: Row) {
  const { generation } = row;
  return {
    id: writeAnswerId(row) ?? asked,
    request_id: row.requestId,
    created: Math.floor((row.createdAt - (generation?.totalMs ?? 0)) / 1000),
    model: row.model,
    execution_llm: row.executionLlm,
    models_tried: generation?.modelsTried ?? (row.model === null ? [] : [row.model]),
    key_source: row.keySource,
    streamed: generation?.streamed ?? false,
    finish_reason:
      generation?.finishReason == null
        ? null
        : writeFinishReason(generation.finishReason, generation.toolsCalled),
    prompt_tokens: row.inputTokens ?? 0,
    completion_tokens: row.outputTokens ?? 0,
    reasoning_tokens: row.reasoningTokens ?? 0,
    cached_tokens: row.cachedTokens ?? 0,
    planning_tokens: row.planningTokens ?? 0,
    credits_charged: toCredits(-row.amountMicro),
    planning_ms: generation?.planningMs ?? null,
    first_byte_ms: generation?.firstByteMs ?? null,
    total_ms: generation?.totalMs ?? null,
    action_sequence: generation?.actionSequence ?? [],
  };
}

export const generation = createHandlers(authenticate, noStore, async (context) => {
  const { services, account } = context.var;
  const id = context.req.query("id");
  if (!id) {
    const message = "Say which in the query: id is a response's id or its x-request-id.";
    throw new GatewayError("invalid_request", message, { param: "id" });
  }
  const row = await readGeneration(services.database, account.accountId, id);
  if (row === undefined) {
    const message = "This account has no ended request with that id; a stream is found once it has ended.";
    throw new GatewayError("not_found", message, { param: "id" });
  }
  return context.json({ data: describe(id, row) });
});
