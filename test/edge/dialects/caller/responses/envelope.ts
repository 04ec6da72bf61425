/** What the writers of this dialect are given beside the answer. */
import { nameTools } from "../../../../../edge/dialects/caller/responses/tool-names.ts";
import type { Envelope } from "../../../../../edge/dialects/caller/responses/write-reply.ts";

export const testEnvelope = (fields: Partial<Envelope> = {}): Envelope => ({
  id: "abc",
  createdAt: 1,
  model: "svc-x1ac-base-gpt-4o",
  customTools: new Set(),
  toolNames: nameTools([]),
  searches: false,
  compacts: false,
  refers: false,
  now: () => 2_000,
  echo: {
    frequency_penalty: 0,
    presence_penalty: 0,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    parallel_tool_calls: true,
    reasoning: { effort: null, summary: null },
    service_tier: "default",
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_logprobs: 0,
    top_p: 1,
    truncation: "disabled",
  },
  ...fields,
});
