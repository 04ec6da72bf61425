/** The plan as drawn when the first chunk arrives: steps in order, how sure, how much each changes, which tool of how many. */
import type { Svc } from "../api/chat-wire.ts";
import { formatDuration, formatPercent, readable } from "../components/format.ts";
import { describeTelling, type PlanStep, readChosenTool, readSteps } from "./plan-reading.ts";

/** A change at which a bar is full: steps beyond it are rare. */
const fullChange = 40;

export type PlanViewProps = {
  svc: Svc;
  /** Names of the request's tools. */
  tools: readonly string[];
  plan: "on" | "off";
  planMs?: number | undefined;
};

export function PlanView({ svc, tools, plan, planMs }: PlanViewProps) {
  const steps = readSteps(svc);
  return (
    <section class="plan" aria-label="Plan">
      <div class="plan-head">
        <h2>Plan</h2>
        {planMs !== undefined && <span class="stamp">after {formatDuration(planMs)}</span>}
        {svc.overall_confidence !== undefined && steps.length > 0 && (
          <span class="stamp">{formatPercent(svc.overall_confidence)} sure of the first step</span>
        )}
      </div>
      {steps.length > 0 && (
        <ol class="steps">
          {steps.map((step, index) => (
            <Step key={`${index} ${step.action}`} step={step} index={index} />
          ))}
        </ol>
      )}
      {tools.length > 0 && <ToolChoice svc={svc} tools={tools} />}
      <p class="telling">{describeTelling(svc, plan)}</p>
    </section>
  );
}

function Step({ step, index }: { step: PlanStep; index: number }) {
  const width = Math.min(step.change / fullChange, 1) * 100;
  return (
    <li>
      <span class="step-number" aria-hidden="true">
        {index + 1}
      </span>
      <span class="step-name">
        <bdi>{readable(step.action)}</bdi>
      </span>
      <span class={`confidence confidence-${step.confidence.toLowerCase()}`}>{step.confidence}</span>
      <span class="change">
        <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect class="track" width="100" height="6" />
          <rect class="bar" width={width} height="6" />
        </svg>
        <span class="change-words">
          {step.changeWord} change <span class="number">{step.change.toFixed(1)}</span>
        </span>
      </span>
    </li>
  );
}

function ToolChoice({ svc, tools }: { svc: Svc; tools: readonly string[] }) {
  const chosen = readChosenTool(svc, tools);
  const confidence = svc.brain_signal?.confidence;
  return (
    <div class="tool-choice">
      <h3>Tool {chosen === undefined ? "chosen: none" : `chosen from ${tools.length}`}</h3>
      <ul>
        {tools.map((name) => (
          <li key={name} class={name === chosen ? "tool chosen" : "tool"}>
            {name === chosen && <span aria-hidden="true">✓ </span>}
            <bdi>{name}</bdi>
            {name === chosen && (
              <span class="tool-share">
                <span class="visually-hidden">chosen, </span>
                {confidence !== undefined && formatPercent(confidence)}
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
