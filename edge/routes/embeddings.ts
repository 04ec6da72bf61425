/** POST /v1/embeddings: texts in, the world model's vectors out. No provider and no provider key. */
import { createFactory } from "hono/factory";
import { writeCredits } from "../billing/price.ts";
import { readEmbeddingSize } from "../catalog/model-name.ts";
import { buildEmbeddingList, EmbeddingRequest, readTexts } from "../dialects/openai/embedding.ts";
import { authenticate } from "../middleware/authenticate.ts";
import type { EdgeEnv } from "../middleware/context.ts";
import { idempotency } from "../middleware/idempotency.ts";
import { jsonBody } from "../middleware/json-body.ts";
import { validateJson } from "../middleware/validate-json.ts";
import { runWorldModel } from "../pipeline/run-world-model.ts";
import { boundTextTokens } from "../planning/plan-request.ts";

export const embeddings = createFactory<EdgeEnv>().createHandlers(
  authenticate,
  jsonBody,
  validateJson(EmbeddingRequest),
  idempotency,
  async (context) => {
    const { services, account, requestId } = context.var;
    const body = context.req.valid("json");
    const size = readEmbeddingSize(body.model);
    const texts = readTexts(body);
    const work = runWorldModel(
      {
        task: "embed",
        request: { size, texts },
        tokenBound: boundTextTokens(texts),
        model: body.model,
        account,
        requestId,
        ...context.var.attempt,
      },
      services,
    );
    services.waitUntil(
      work.then(
        () => {},
        () => {},
      ),
    );
    const { answer, chargedMicro } = await work;
    context.header("x-svc-credits-charged", writeCredits(chargedMicro));
    if (body.dimensions != null && body.dimensions !== answer.dimension)
      context.header("x-svc-unsupported", "dimensions");
    const format = body.encoding_format ?? "float";
    return context.json(
      buildEmbeddingList(answer.vectors, { model: body.model, tokens: answer.tokens, format }),
    );
  },
);
