/** One answer: the plan, the text as it streams, tool calls, how it ended, times and cost. */
import { useEffect, useRef } from "preact/hooks";
import { Notice } from "../components/boxes/notice.tsx";
import { TallBox } from "../components/boxes/scroll-box.tsx";
import { FailureNotice } from "../components/caller/failure.tsx";
import { AnswerBody } from "./answer-body.tsx";
import { AnswerFooter } from "./answer-footer.tsx";
import type { AnswerState } from "./answer-state.ts";
import type { PlanUse } from "./describe-plan.ts";
import { memo } from "./memo.ts";
import { PlanView } from "./plan-view.tsx";
import { Timeline } from "./timeline.tsx";

export type AnswerViewProps = {
  answer: AnswerState;
  tools: readonly string[];
  plan: PlanUse;
};

export const AnswerView = memo(({ answer, tools, plan }: AnswerViewProps) => {
  const { phase, svc, text, reasoning, toolCalls, error, status } = answer;
  const box = useRef<HTMLElement>(null);
  const isBusy = phase === "waiting" || phase === "streaming";
  // An answer that had ended before the page was opened is not scrolled to.
  const awaited = useRef(false);
  awaited.current ||= isBusy;
  const came = error !== undefined ? ".notice-error" : svc !== undefined && isBusy ? ".plan" : undefined;
  const news = awaited.current ? came : undefined;
  // On a phone the answer begins at the lower edge of the screen, so its plan or its error would be drawn out of sight. Not a smooth
  // scroll: that would be lost if the scroll that shows the answer is still in progress.
  useEffect(() => {
    if (news !== undefined) box.current?.querySelector(news)?.scrollIntoView({ block: "nearest" });
  }, [news]);
  return (
    <article ref={box} class="answer" aria-busy={isBusy} data-phase={phase}>
      {phase === "waiting" && (
        <p class="waiting">{plan !== "off" ? "Planning, then asking the LLM…" : "Asking the LLM…"}</p>
      )}
      {svc !== undefined && plan !== "off" && (
        <PlanView svc={svc} tools={tools} plan={plan} planMs={answer.planMs} />
      )}
      {svc !== undefined && plan === "off" && <p class="hint">The plan was made, and kept from the LLM.</p>}
      {answer.hasReasoning && (
        <details class="reasoning">
          <summary>The LLM's reasoning</summary>
          <AnswerBody text={reasoning} label="Reasoning" class="answer-text" />
        </details>
      )}
      {answer.hasText && <AnswerBody text={text} label="Answer" class="answer-text" />}
      {toolCalls.length > 0 && <ToolCalls calls={toolCalls} />}
      {svc !== undefined && !answer.hasText && toolCalls.length === 0 && (
        <>
          {phase === "streaming" && <p class="waiting">Waiting for the LLM's first word…</p>}
          {phase === "done" && <p class="hint">The LLM's answer is empty.</p>}
        </>
      )}
      {error !== undefined && <FailureNotice status={status} message={error} />}
      {phase === "stopped" && <Notice kind="info">Stopped. What was produced until then is charged.</Notice>}
      <Timeline answer={answer} />
      <AnswerFooter answer={answer} />
    </article>
  );
});

function ToolCalls({ calls }: { calls: AnswerState["toolCalls"] }) {
  return (
    <ul class="calls" aria-label="Tool calls">
      {calls.map(({ id, function: { name, arguments: given } }) => (
        <li key={id}>
          <span class="hint">calls</span>{" "}
          <code>
            <bdi>{name}</bdi>
          </code>
          {given !== "" && (
            <TallBox class="code call-arguments" label={`Arguments of ${name}`}>
              {given}
            </TallBox>
          )}
        </li>
      ))}
    </ul>
  );
}
