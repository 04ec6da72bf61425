/** POST /v1/embeddings: texts in, the world model's vectors out. No provider and no provider key. */
import { GatewayError } from "../../shared/errors.ts";
import { sizes } from "../../shared/model-sizes.ts";
import { readEmbeddingSize } from "../catalog/model-name.ts";
import { buildEmbeddingList, EmbeddingRequest, readTexts } from "../dialects/caller/openai/embeddings.ts";
import { authenticateFor } from "../middleware/authenticate.ts";
import { createHandlers } from "../middleware/context.ts";
import { idempotency } from "../middleware/idempotency.ts";
import { limitConcurrency } from "../middleware/limit-concurrency.ts";
import { permitModels } from "../middleware/permit-models.ts";
import { jsonBody, validateJson } from "../middleware/request-body.ts";
import { boundTextTokens } from "../pipeline/tokens/planning-bounds.ts";
import { answerWorldModel, nameUnknownFields } from "./answer-world-model.ts";

export const embeddings = createHandlers(
  authenticateFor("embeddings"),
  limitConcurrency,
  jsonBody,
  validateJson(EmbeddingRequest),
  permitModels,
  idempotency,
  async (context) => {
    const body = context.req.valid("json");
    const size = readEmbeddingSize(body.model);
    const { dimensions } = sizes[size];
    if (body.dimensions != null && body.dimensions !== dimensions) {
      const message = `${body.model} gives vectors of ${dimensions} numbers: leave dimensions out.`;
      throw new GatewayError("invalid_request", message, { param: "dimensions" });
    }
    const texts = readTexts(body);
    nameUnknownFields(context, body, EmbeddingRequest);
    const answer = await answerWorldModel(context, {
      task: "embed",
      request: { size, texts },
      tokenBound: boundTextTokens(texts),
      model: body.model,
    });
    const format = body.encoding_format ?? "float";
    return context.json(
      buildEmbeddingList(answer.vectors, { model: body.model, tokens: answer.tokens, format }),
    );
  },
);
