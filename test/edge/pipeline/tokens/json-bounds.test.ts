// Llama 3's template writes tools with indentation and results of calls as JSON strings. The tokens were counted with cl100k, which its
// tokenizer extends.
import { describe, expect, test } from "vitest";
import { boundInputTokens } from "../../../../edge/pipeline/tokens/token-bounds.ts";
import type { ChatRequest } from "../../../../shared/chat.ts";
import { saying } from "../../support/chat-request.ts";

const request = saying({ type: "text", text: "hi" });
const withTool = (parameters: Record<string, unknown>): ChatRequest => ({
  ...request,
  tools: [{ name: "f", parameters }],
});
const nested = (depth: number, inner: unknown = {}): Record<string, unknown> => {
  let value = inner;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value as Record<string, unknown>;
};
const bound = (asked: ChatRequest, model = "meta-llama/llama-3.3-70b-instruct") =>
  boundInputTokens(asked, { model, contextWindow: 1_000_000 });
/** A model whose template writes JSON as it is sent. */
const plain = "qwen/qwen3-coder";

describe("the bound of a prompt that a template writes as JSON", () => {
  test.each([
    ["300 levels of a schema", withTool(nested(300)), 4_755],
    ["600 levels of a schema", withTool(nested(600)), 15_126],
    ["5,000 numbers of an enum", withTool(nested(6, { enum: Array(5_000).fill(1) })), 20_051],
    [
      "1,000 control characters of a result",
      {
        ...request,
        messages: [
          ...request.messages,
          {
            role: "tool" as const,
            parts: [
              {
                type: "tool-result" as const,
                toolCallId: "c",
                content: [{ type: "text" as const, text: "\u0001".repeat(1_000) }],
              },
            ],
          },
        ],
      },
      3_002,
    ],
  ])("covers %s", (_what, asked, tokens) => {
    expect(bound(asked)).toBeGreaterThanOrEqual(tokens);
    expect(bound(asked)).toBeLessThan(bound(asked, plain) + 2.5 * tokens);
  });

  test("counts no brackets inside of texts", () => {
    const description = '{[,\\"'.repeat(1_000);
    const asked = withTool({ description });
    expect(bound(asked) - bound(asked, plain)).toBeLessThan(50);
  });
});
