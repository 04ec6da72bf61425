/** Looks up one request by its id: what ran, how long it took, what it cost. /account#req_… is the address of its record. */
import { useEffect, useState } from "preact/hooks";
import { account } from "../api/account.ts";
import { type Generation, readGeneration } from "../api/account-wire.ts";
import type { Result } from "../api/call-api.ts";
import { sentRequests } from "../api/sent-requests.ts";
import { Card } from "../components/boxes/card.tsx";
import { FactList } from "../components/boxes/fact-list.tsx";
import { bringIntoView, Notice } from "../components/boxes/notice.tsx";
import { Field } from "../components/controls/field.tsx";
import { SubmitButton } from "../components/controls/submit.tsx";
import {
  formatClock,
  formatCount,
  formatCredits,
  formatDuration,
  formatMoment,
  ifKnown,
} from "../components/format.ts";
import { useStore } from "../use-store.ts";

/** Only an id that the service made can be in an address: nothing else that lies in a fragment is sent. */
const ownId = /^req_\w+$/;
const readAddress = (): string => {
  const id = location.hash.slice(1);
  return ownId.test(id) ? id : "";
};
const hasAddress = ({ request_id: id }: Generation): boolean => ownId.test(id ?? "");

export function RequestSection() {
  const [text, setText] = useState(readAddress);
  const [found, setFound] = useState<Result<{ data: Generation }> | undefined>();
  const [busy, setBusy] = useState(false);
  const lookUp = async (id: string) => {
    if (id === "") return;
    setBusy(true);
    setFound(undefined);
    const answer = await readGeneration(id);
    setFound(answer);
    setBusy(false);
    // The reader may have gone to another page meanwhile.
    if (answer.ok && hasAddress(answer.value.data) && location.pathname === "/account")
      history.replaceState(null, "", `#${answer.value.data.request_id}`);
  };
  const show = (id: string) => {
    setText(id);
    void lookUp(id);
  };
  useEffect(() => {
    const follow = () => {
      const id = readAddress();
      if (id !== "") show(id);
    };
    follow();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return (
    <Card title="Look up a request">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void lookUp(text.trim());
        }}
      >
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
      <SentRequests onChoose={show} />
      {found !== undefined && !found.ok && <Notice kind="error">{found.message}</Notice>}
      {found?.ok && (
        <div ref={bringIntoView} class="result">
          <Facts generation={found.value.data} />
          {hasAddress(found.value.data) && (
            <p class="hint">The address of this page leads to this request now.</p>
          )}
        </div>
      )}
    </Card>
  );
}

/** More does not fit a line, and a message may be long. */
const maxAbout = 200;

/** What the playground, rollouts and embeddings sent from this page, for this account. */
function SentRequests({ onChoose }: { onChoose: (id: string) => void }) {
  const known = useStore(account);
  const sent = useStore(sentRequests).filter(
    ({ accountId }) => known.state === "known" && known.balance.account_id === accountId,
  );
  if (sent.length === 0) return null;
  return (
    <div class="sent-requests">
      <h3 class="hint" id="sent-requests">
        Sent from this page, until it is reloaded
      </h3>
      <ul aria-labelledby="sent-requests">
        {sent.map(({ id, about, sentAt }) => (
          <li key={id}>
            <span class="hint number">{formatClock(sentAt)}</span>
            <a
              href={`#${id}`}
              dir="auto"
              onClick={(event) => {
                event.preventDefault();
                onChoose(id);
              }}
            >
              {about.slice(0, maxAbout)}
            </a>
          </li>
        ))}
      </ul>
    </div>
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
