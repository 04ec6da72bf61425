/** Times, tokens and credits of an answer. Each appears when it is known. */
import { type Fact, FactList } from "../components/boxes/fact-list.tsx";
import { CopyButton } from "../components/controls/copy-button.tsx";
import { formatCount, formatCredits, formatDuration, ifKnown } from "../components/format.ts";
import { followLink } from "../router.ts";
import type { AnswerState } from "./answer-state.ts";

/** Finish reasons that need no mention. */
const usualEndings = ["stop", "tool_calls"];

function listFacts({ svc, usage, planMs, firstByteMs, totalMs, ...answer }: AnswerState): Fact[] {
  const { finishReason = "stop", unsupported } = answer;
  const calls = svc?.total_steps_executed ?? 1;
  const creditsTitle =
    svc?.key_source === "user"
      ? "planning only: your own provider key paid the LLM"
      : "1 credit is 1 US dollar";
  return [
    { label: "Time to plan", value: ifKnown(formatDuration, planMs), mark: "plan" },
    { label: "To first word", value: ifKnown(formatDuration, firstByteMs), mark: "first" },
    { label: "Total", value: ifKnown(formatDuration, totalMs) },
    { label: "LLM calls", value: calls > 1 ? formatCount(calls) : undefined },
    { label: "Tokens in", value: ifKnown(formatCount, usage?.promptTokens) },
    { label: "Tokens out", value: ifKnown(formatCount, usage?.completionTokens) },
    { label: "Credits charged", value: ifKnown(formatCredits, svc?.credits_charged), title: creditsTitle },
    { label: "Ended by", value: usualEndings.includes(finishReason) ? undefined : finishReason },
    { label: "Left out", value: unsupported, title: "the provider has no equal for it" },
  ];
}

export function AnswerFooter({ answer }: { answer: AnswerState }) {
  const { requestId, totalMs, text } = answer;
  const facts = listFacts(answer);
  if (!facts.some(({ value }) => value)) return null;
  return (
    <footer class="foot">
      <FactList facts={facts} />
      {totalMs !== undefined && (
        <div class="row">
          {text.length > 0 && <CopyButton label="Copy answer" read={() => text.toString()} />}
          {requestId !== undefined && <CopyButton label="Copy request id" read={() => requestId} />}
          {/* What was refused has no record. */}
          {requestId !== undefined && answer.status === undefined && (
            <a href={`/account#${encodeURIComponent(requestId)}`} onClick={followLink}>
              Look up request
            </a>
          )}
        </div>
      )}
    </footer>
  );
}
