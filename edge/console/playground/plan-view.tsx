/**
 * The plan, drawn when the first chunk arrives: steps in order, their confidence and predicted change, the tool chosen among how
 * many, and what the LLM is told of it.
 */
import type { Svc } from "../api/chat-wire.ts";
import { formatDuration, formatPercent, readable } from "../components/format.ts";
import {
  describeStop,
  describeTelling,
  describeVerdict,
  isGuess,
  type PlanStep,
  type PlanUse,
  readChosenTool,
  readSteps,
  readTold,
} from "./describe-plan.ts";

/** The change that fills a bar; larger ones are rare. */
const fullChange = 40;

export type PlanViewProps = {
  svc: Svc;
  /** Names of the request's tools. */
  tools: readonly string[];
  plan: PlanUse;
  planMs?: number | undefined;
  /**
   * The text for the LLM is shown open, so that nothing in the plan takes the focus. On a phone the recorded plan is drawn above the form
   * but follows it in the document: Tab would jump back up to it.
   */
  isRecorded?: boolean;
};

export function PlanView({ svc, tools, plan, planMs, isRecorded = false }: PlanViewProps) {
  const steps = readSteps(svc, tools);
  const verdict = describeVerdict(svc, tools);
  const telling = (
    <Telling
      words={describeTelling(svc, plan, tools)}
      told={readTold(svc, tools, plan)}
      isOpen={isRecorded}
    />
  );
  return (
    <section class="plan" aria-label="Plan">
      <div class="plan-head">
        <h2>Plan</h2>
        {svc.planning_time_ms !== undefined && (
          <span class="hint">made in {formatDuration(svc.planning_time_ms)}</span>
        )}
        {planMs !== undefined && <span class="hint">here after {formatDuration(planMs)}</span>}
      </div>
      {verdict !== undefined && (
        <div>
          <p class="verdict">
            {verdict}
            {describeStop(svc) !== undefined && (
              <span class="hint"> {formatPercent(svc.brain_signal?.confidence ?? 0)} sure</span>
            )}
          </p>
          {telling}
        </div>
      )}
      {steps.length > 0 && (
        <div class="steps">
          {/* Each step says the same to a screen reader. */}
          <p class="steps-head hint" aria-hidden="true">
            <span>Next steps</span>
            <span>Confidence</span>
            <span>Predicted change</span>
          </p>
          <ol>
            {steps.map((step, index) => (
              <Step
                key={`${index} ${step.action}`}
                step={step}
                index={index}
                isGuess={index === 0 && isGuess(svc)}
                probability={index === 0 ? svc.overall_confidence : undefined}
              />
            ))}
          </ol>
        </div>
      )}
      {tools.length > 0 && <ToolChoice svc={svc} tools={tools} />}
      {verdict === undefined && telling}
    </section>
  );
}

/** Whether the LLM is told, and the text that it reads. */
function Telling({ words, told, isOpen }: { words: string; told: string | undefined; isOpen: boolean }) {
  const text = told !== undefined && <pre class="told">{told}</pre>;
  if (text && !isOpen)
    return (
      <details>
        <summary class="hint">{words}</summary>
        {text}
      </details>
    );
  return (
    <div>
      <p class="hint">{words}</p>
      {text}
    </div>
  );
}

type StepProps = { step: PlanStep; index: number; isGuess: boolean; probability: number | undefined };

function Step({ step, index, isGuess, probability }: StepProps) {
  const width = Math.min(step.change / fullChange, 1) * 100;
  const isDoubted = isGuess && step.confidence !== "Low";
  return (
    <li>
      <span class="step-number" aria-hidden="true">
        {index + 1}
      </span>
      <span class="step-name">
        <bdi>{readable(step.action)}</bdi>
      </span>
      <span class={`confidence confidence-${isDoubted ? "low" : step.confidence.toLowerCase()}`}>
        {step.confidence}
        <span class="visually-hidden"> confidence</span>
        {probability !== undefined && ` ${formatPercent(probability)}`}
        {isDoubted && ", doubted"}
      </span>
      <span class="change">
        <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect class="track" width="100" height="6" />
          <rect class="bar" width={width} height="6" />
        </svg>
        <span class="hint">
          {step.changeWord} change <span class="number">{step.change.toFixed(1)}</span>
        </span>
      </span>
    </li>
  );
}

/** With a hundred shown, the chosen tool would be hard to find and the answer far below. */
const maxTools = 12;

function ToolChoice({ svc, tools }: { svc: Svc; tools: readonly string[] }) {
  const chosen = readChosenTool(svc, tools);
  const { confidence, likely_tools: likely = [] } = svc.brain_signal ?? {};
  const kindOf = (name: string) => (name === chosen ? "chosen" : likely.includes(name) ? "likely" : "other");
  const inOrder = new Set([chosen ?? "", ...likely, ...(svc.action_sequence ?? []), ...tools]);
  const shown = [...inOrder].filter((name) => tools.includes(name)).slice(0, maxTools);
  return (
    <div class="tool-choice">
      <h3 class="hint">
        {chosen === undefined ? "No tool chosen" : "Tool chosen"} from {tools.length}
      </h3>
      <ul>
        {shown.map((name) => (
          <li key={name} class={`tool ${kindOf(name)}`}>
            {name === chosen && <span aria-hidden="true">✓ </span>}
            <bdi>{name}</bdi>
            {kindOf(name) === "likely" && <span class="tool-share">likely</span>}
            {name === chosen && (
              <span class="tool-share">
                <span class="visually-hidden">chosen, </span>
                {confidence !== undefined && formatPercent(confidence)}
              </span>
            )}
          </li>
        ))}
        {shown.length < tools.length && <li class="hint">and {tools.length - shown.length} more</li>}
      </ul>
    </div>
  );
}
