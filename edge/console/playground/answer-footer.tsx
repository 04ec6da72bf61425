/** Times, tokens and credits of an answer. Each appears when it is known. */
import { CopyButton } from "../components/copy-button.tsx";
import { formatCount, formatCredits, formatDuration } from "../components/format.ts";
import type { AnswerState } from "./answer-state.ts";

/** `mark`: the colour it has on the timeline. */
type Fact = { label: string; value: string; title?: string; mark?: "plan" | "first" };

function listFacts({
  svc,
  usage,
  planMs,
  firstByteMs,
  totalMs,
  finishReason,
  unsupported,
}: AnswerState): Fact[] {
  const facts: (Fact | false | undefined)[] = [
    planMs !== undefined && {
      label: "Time to plan",
      value: formatDuration(planMs),
      mark: "plan",
    },
    firstByteMs !== undefined && {
      label: "To first word",
      value: formatDuration(firstByteMs),
      mark: "first",
    },
    totalMs !== undefined && { label: "Total", value: formatDuration(totalMs) },
    usage?.promptTokens !== undefined && { label: "Tokens in", value: formatCount(usage.promptTokens) },
    usage?.completionTokens !== undefined && {
      label: "Tokens out",
      value: formatCount(usage.completionTokens),
    },
    usage?.planningTokens !== undefined && {
      label: "Planning tokens",
      value: formatCount(usage.planningTokens),
    },
    svc?.credits_charged != null && {
      label: "Credits charged",
      value: formatCredits(svc.credits_charged),
      title:
        svc.key_source === "user"
          ? "planning only: your own provider key paid the LLM"
          : "1 credit is 1 US dollar",
    },
    finishReason !== undefined &&
      finishReason !== "stop" &&
      finishReason !== "tool_calls" && { label: "Ended by", value: finishReason },
    unsupported !== undefined && {
      label: "Left out",
      value: unsupported,
      title: "the provider has no equal for it",
    },
  ];
  return facts.filter((fact) => typeof fact === "object");
}

export function AnswerFooter({ answer }: { answer: AnswerState }) {
  const facts = listFacts(answer);
  const { requestId, totalMs, text } = answer;
  if (facts.length === 0) return null;
  return (
    <footer class="foot">
      <dl>
        {facts.map(({ label, value, title, mark }) => (
          <div key={label} title={title} class={mark && `mark-${mark}`}>
            <dt>{label}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {totalMs !== undefined && (
        <div class="row end">
          {text.length > 0 && <CopyButton label="Copy answer" read={() => text.toString()} />}
          {requestId !== undefined && <CopyButton label="Copy request id" read={() => requestId} />}
        </div>
      )}
    </footer>
  );
}
