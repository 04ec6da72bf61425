/** Looks up one request by its id: what ran, how long it took, what it cost. */
import { useId, useState } from "preact/hooks";
import { type Generation, readGeneration } from "../api/account-wire.ts";
import type { Result } from "../api/call-api.ts";
import { Card } from "../components/card.tsx";
import { formatCount, formatCredits, formatDuration, formatMoment } from "../components/format.ts";
import { Notice } from "../components/notice.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useForm } from "../components/use-form.ts";

export function RequestSection() {
  const id = useId();
  const [text, setText] = useState("");
  const [found, setFound] = useState<Result<{ data: Generation }> | undefined>();
  const { submit, busy } = useForm(async () => {
    if (text.trim() === "") return;
    setFound(undefined);
    setFound(await readGeneration(text.trim()));
  });
  return (
    <Card title="Look up a request">
      <form onSubmit={submit}>
        <div class="field">
          <label for={id}>Id of the answer or the request</label>
          <div class="row no-wrap">
            <input
              id={id}
              dir="ltr"
              spellcheck={false}
              placeholder="chatcmpl-… or req_…"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <SubmitButton busy={busy}>{busy ? "Looking up…" : "Look up"}</SubmitButton>
          </div>
        </div>
      </form>
      {found !== undefined && !found.ok && <Notice kind="error">{found.message}</Notice>}
      {found?.ok && <Facts generation={found.value.data} />}
    </Card>
  );
}

const count = (value: number | null | undefined) => (value == null ? undefined : formatCount(value));
const duration = (value: number | null | undefined) => (value == null ? undefined : formatDuration(value));

function Facts({ generation: found }: { generation: Generation }) {
  const facts: [string, string | null | undefined][] = [
    ["When", found.created == null ? undefined : formatMoment(found.created)],
    ["Model", found.model],
    ["LLM", found.execution_llm],
    ["Paid by", found.key_source === "user" ? "your provider key" : found.key_source],
    ["Ended by", found.finish_reason],
    ["Plan", found.action_sequence?.join(", ")],
    ["Tokens in", count(found.prompt_tokens)],
    ["Tokens out", count(found.completion_tokens)],
    ["Reasoning tokens", count(found.reasoning_tokens)],
    ["Cached tokens", count(found.cached_tokens)],
    ["Planning tokens", count(found.planning_tokens)],
    ["Planning", duration(found.planning_ms)],
    ["First byte", duration(found.first_byte_ms)],
    ["Total", duration(found.total_ms)],
    ["Credits charged", found.credits_charged == null ? undefined : formatCredits(found.credits_charged)],
    ["Request id", found.request_id],
  ];
  return (
    <dl class="facts">
      {facts.map(
        ([label, value]) =>
          value != null &&
          value !== "" && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
