/** The list of models, and one of them, in Anthropic's shape: pages by cursor, names to show, times as text. Pure. */
import { GatewayError } from "../../shared/errors.ts";
import { parseModelName } from "../catalog/model-name.ts";
import type { ModelEntry } from "../catalog/models-body.ts";

const defaultLimit = 20;
const maxLimit = 1000;

/** "gpt-4o (base)"; "World model (base)" where there is no LLM. */
function displayName(id: string): string {
  const parsed = parseModelName(id);
  if (parsed.kind === "unknown") return id;
  return `${parsed.kind === "chat" ? parsed.llm : "World model"} (${parsed.size})`;
}

function writeEntry({ id, created }: ModelEntry) {
  return {
    type: "model" as const,
    id,
    display_name: displayName(id),
    created_at: new Date(created * 1000).toISOString(),
    // Every listed model is served, and Anthropic's libraries require each of these fields.
    lifecycle: "active" as const,
    deprecated_at: null,
    retires_at: null,
    line: null,
    capabilities: null,
    max_input_tokens: null,
    max_tokens: null,
  };
}

type Described = ModelEntry & { context_length: number; max_output_tokens: number | null };

/** One model with all that is known of it, under Anthropic's names where it has them. */
export function describeForAnthropic(described: Described) {
  const { object: _object, created: _created, owned_by: _owner, id: _id, ...known } = described;
  return {
    ...writeEntry(described),
    max_input_tokens: described.context_length,
    max_tokens: described.max_output_tokens,
    ...known,
  };
}

export type Page = {
  limit?: string | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
};

const invalid = (param: string, why: string) =>
  new GatewayError("invalid_request", `${param} ${why}.`, { param });

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit;
  const limit = Number(text);
  if (/^\d{1,4}$/.test(text) && limit >= 1 && limit <= maxLimit) return limit;
  throw invalid("limit", `must be 1 to ${maxLimit}`);
}

/** Begin and end of a page, and whether there is more in the direction of reading. */
function readRange(
  entries: readonly ModelEntry[],
  page: Page,
): { from: number; to: number; hasMore: boolean } {
  const limit = readLimit(page.limit);
  const { after_id: after, before_id: before } = page;
  if (after !== undefined && before !== undefined) throw invalid("before_id", "cannot go with after_id");
  const cursor = after ?? before;
  const at = cursor === undefined ? -1 : entries.findIndex(({ id }) => id === cursor);
  if (cursor !== undefined && at === -1)
    throw invalid(after === undefined ? "before_id" : "after_id", "is no model of this list");
  if (before !== undefined) {
    const from = Math.max(0, at - limit);
    return { from, to: at, hasMore: from > 0 };
  }
  const to = Math.min(entries.length, at + 1 + limit);
  return { from: at + 1, to, hasMore: to < entries.length };
}

/** One page of the list. Throws invalid_request for a limit or cursor that does not fit. */
export function listForAnthropic(entries: readonly ModelEntry[], page: Page) {
  const { from, to, hasMore } = readRange(entries, page);
  const data = entries.slice(from, to).map(writeEntry);
  return {
    data,
    has_more: hasMore,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}
