/** Looks up one request by its id: what ran, how long it took, what it cost. */
import { useState } from "preact/hooks";
import { type Generation, readGeneration } from "../api/account-wire.ts";
import type { Result } from "../api/call-api.ts";
import { Card } from "../components/boxes/card.tsx";
import { FactList } from "../components/boxes/fact-list.tsx";
import { Notice } from "../components/boxes/notice.tsx";
import { Field } from "../components/controls/field.tsx";
import { SubmitButton, useForm } from "../components/controls/submit.tsx";
import { formatCount, formatCredits, formatDuration, formatMoment, ifKnown } from "../components/format.ts";

export function RequestSection() {
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
        <Field label="Id of the answer or the request">
          {(id) => (
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
          )}
        </Field>
      </form>
      {found !== undefined && !found.ok && <Notice kind="error">{found.message}</Notice>}
      {found?.ok && <Facts generation={found.value.data} />}
    </Card>
  );
}

function Facts({ generation: found }: { generation: Generation }) {
  return (
    <FactList
      facts={[
        { label: "When", value: ifKnown(formatMoment, found.created) },
        { label: "Model", value: found.model },
        { label: "LLM", value: found.execution_llm },
        { label: "Paid by", value: found.key_source === "user" ? "your provider key" : found.key_source },
        { label: "Ended by", value: found.finish_reason },
        { label: "Plan", value: found.action_sequence?.join(", ") },
        { label: "Tokens in", value: ifKnown(formatCount, found.prompt_tokens) },
        { label: "Tokens out", value: ifKnown(formatCount, found.completion_tokens) },
        { label: "Reasoning tokens", value: ifKnown(formatCount, found.reasoning_tokens) },
        { label: "Cached tokens", value: ifKnown(formatCount, found.cached_tokens) },
        { label: "Planning tokens", value: ifKnown(formatCount, found.planning_tokens) },
        { label: "Planning", value: ifKnown(formatDuration, found.planning_ms) },
        { label: "First byte", value: ifKnown(formatDuration, found.first_byte_ms) },
        { label: "Total", value: ifKnown(formatDuration, found.total_ms) },
        { label: "Credits charged", value: ifKnown(formatCredits, found.credits_charged) },
        { label: "Request id", value: found.request_id },
      ]}
    />
  );
}
