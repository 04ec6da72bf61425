/**
 * Every named schema of the document, as JSON Schema 2020-12: requests from the zod schemas that validate them, answers
 * from edge/openapi/replies. Owns the names and what zod cannot say by itself.
 */
import { z } from "zod";
import * as anthropic from "../dialects/caller/anthropic/schema.ts";
import { ToolInput as MessageTool } from "../dialects/caller/anthropic/tool-schema.ts";
import { EmbeddingRequest } from "../dialects/caller/openai/embeddings.ts";
import * as openai from "../dialects/caller/openai/schema.ts";
import { ToolInput as ChatTool } from "../dialects/caller/openai/tool-schema.ts";
import * as responses from "../dialects/caller/responses/schema.ts";
import { ToolInput as ResponseTool } from "../dialects/caller/responses/tool-schema.ts";
import { SvcOptions } from "../dialects/caller/svc-options.ts";
import { KeyChangesBody, NewKeyBody } from "../routes/account/api-keys.ts";
import { NewKeysBody } from "../routes/account/llm-keys.ts";
import { NewTokenBody } from "../routes/account/tokens.ts";
import { RolloutBody } from "../routes/rollout.ts";
import { fieldDescriptions } from "./field-descriptions.ts";
import { reference } from "./operation.ts";
import * as account from "./replies/account.ts";
import * as chat from "./replies/chat.ts";
import * as errors from "./replies/errors.ts";
import * as messages from "./replies/messages.ts";
import * as models from "./replies/models.ts";
import * as response from "./replies/responses.ts";
import { SvcMetadata } from "./replies/svc-metadata.ts";
import * as worldModel from "./replies/world-model.ts";

const requests = {
  ChatCompletionRequest: openai.ChatCompletionRequest,
  ChatMessage: openai.ChatMessageInput,
  ChatTool,
  MessagesRequest: anthropic.MessagesRequest,
  CountTokensRequest: anthropic.CountTokensRequest,
  MessageParam: anthropic.MessageInput,
  MessageContentBlock: anthropic.ContentBlockInput,
  MessageResultBlock: anthropic.ResultBlockInput,
  MessageTool,
  ResponsesRequest: responses.ResponsesRequest,
  ResponseInputItem: responses.InputItem,
  ResponseTool,
  EmbeddingRequest,
  RolloutRequest: RolloutBody,
  SvcOptions: SvcOptions.unwrap().unwrap(),
  ProviderKeys: NewKeysBody,
  NewApiKeyRequest: NewKeyBody,
  ApiKeyChanges: KeyChangesBody,
  NewTokenRequest: NewTokenBody,
};
const replies = {
  ...account,
  ...chat,
  ...errors,
  ...messages,
  ...models,
  ...response,
  ...worldModel,
  SvcMetadata,
};

/** Schemas by `type`, each with a name of its own, for a union that the code resolves by `type` itself. */
const named = (prefix: string, byType: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(byType).map(([type, schema]) => [
      prefix + type.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()),
      schema,
    ]),
  );
const blocks = named("MessageBlock", anthropic.blockSchemas);
const items = named("ResponseItem", responses.itemSchemas);

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** One of the named schemas, or any other `type`, which only its provider understands. */
const dispatch = (
  parts: Readonly<Record<string, z.ZodType>>,
  types: readonly string[],
  others: JsonSchema[] = [],
): JsonSchema => ({
  anyOf: [
    ...Object.keys(parts).map(reference),
    ...others,
    {
      type: "object",
      required: ["type"],
      properties: { type: { type: "string", not: { enum: [...types] } } },
      additionalProperties: true,
    },
  ],
});
const { type: _type, ...messageWithoutType } = responses.MessageItem.shape;
const resultTypes = Object.keys(anthropic.resultBlocks);
const resultBlocks = named("MessageBlock", anthropic.resultBlocks);

/** Schemas that a function validates: what it accepts, which zod cannot derive. */
const read = new Map<z.core.$ZodType, () => JsonSchema>([
  [anthropic.ContentBlockInput, () => dispatch(blocks, Object.keys(anthropic.blockSchemas))],
  [anthropic.ResultBlockInput, () => dispatch(resultBlocks, resultTypes)],
  [
    responses.InputItem,
    () => {
      const short = z.toJSONSchema(z.looseObject(messageWithoutType), { io: "input" });
      return dispatch(items, Object.keys(responses.itemSchemas), [tidy(short)]);
    },
  ],
  // Arrays of tokens are accepted by the schema only to be refused with advice.
  [
    EmbeddingRequest.shape.input,
    () => ({ anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }),
  ],
]);

/** Removes bounds that only say that a number is a safe integer, and patterns of fields that have a format: noise to a reader. */
function tidy(schema: JsonSchema): JsonSchema {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.format !== undefined) delete schema.pattern;
  delete schema.propertyNames;
  delete schema.$schema;
  return schema;
}

function describeFields(name: string, schema: JsonSchema): void {
  for (const [field, words] of Object.entries(fieldDescriptions[name] ?? {})) {
    const property = schema.properties?.[field];
    if (typeof property === "object") property.description = words;
  }
}

/** By name, for `components.schemas`. */
export function buildSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  const all = { ...requests, ...replies, ...blocks, ...items };
  for (const [id, schema] of Object.entries(all)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: "input",
    unrepresentable: "any",
    uri: (id) => reference(id).$ref,
    override: ({ zodSchema, jsonSchema }) => {
      const known = read.get(zodSchema);
      if (known !== undefined) {
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
        Object.assign(jsonSchema, known());
      }
      tidy(jsonSchema);
    },
  });
  return Object.fromEntries(
    Object.entries(schemas)
      .sort(([left], [right]) => left.localeCompare(right))
      .map(([name, { $schema: _dialect, $id: _id, ...schema }]) => {
        describeFields(name, schema);
        return [name, schema];
      }),
  );
}
