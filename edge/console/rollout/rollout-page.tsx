/** The rollout page: what a sequence of actions would change, planned toward a goal or given by name. Nothing is executed. */
import type { SubmitEventHandler } from "preact";
import { useId, useState } from "preact/hooks";
import { type Action, askRollout, type Rollout } from "../api/rollout.ts";
import { formatCredits, readable } from "../components/format.ts";
import { KeyPanel } from "../components/key-panel.tsx";
import { Notice } from "../components/notice.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useSubmit } from "../components/use-submit.ts";
import { useWidth } from "../components/use-width.ts";
import { RolloutChart } from "./rollout-chart.tsx";
import { SequenceField } from "./sequence-field.tsx";

type Draft = { goal: string; state: string; maxSteps: number; actions: readonly Action[] };
type Shown = { rollout: Rollout; charged: string | null };

/** Outlives the page: what was typed is still there for somebody who had to sign in on another page. */
let kept: { draft: Draft; shown?: Shown | undefined } = {
  draft: {
    goal: "Find the cheapest flight to Lisbon in May and book it",
    state: "",
    maxSteps: 5,
    actions: [],
  },
};

export function RolloutPage() {
  const [draft, setDraft] = useState(kept.draft);
  const [shown, setShown] = useState(kept.shown);
  kept = { draft, shown };
  const { submit, busy, problem } = useSubmit(
    () => {
      const { goal, state, maxSteps, actions } = draft;
      return askRollout({
        goal,
        max_steps: maxSteps,
        ...(state.trim() !== "" && { initial_state: state }),
        ...(actions.length > 0 && { actions: actions.map(({ id }) => id) }),
      });
    },
    ({ value, headers }) => setShown({ rollout: value, charged: headers.get("x-svc-credits-charged") }),
  );
  return (
    <div class="playground">
      <div class="intro">
        <h1>Rollout</h1>
        <p>
          What a sequence of actions would change, predicted by the world model. Nothing is executed, no LLM
          is called.
        </p>
      </div>
      <div class="left">
        <KeyPanel />
        <RolloutForm
          draft={draft}
          onChange={(changes) => setDraft({ ...draft, ...changes })}
          onSubmit={submit}
          busy={busy}
        />
      </div>
      <div class="right">
        {problem !== undefined && <Notice kind="error">{problem}</Notice>}
        {shown === undefined ? (
          <p class="empty">
            Predict to see how far each step is expected to move the world: one bar a step, and the state's
            magnitude as a line.
          </p>
        ) : (
          <RolloutResult {...shown} />
        )}
      </div>
    </div>
  );
}

type RolloutFormProps = {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  onSubmit: SubmitEventHandler<HTMLFormElement>;
  busy: boolean;
};

function RolloutForm({ draft, onChange, onSubmit, busy }: RolloutFormProps) {
  const id = useId();
  return (
    <form class="card request" onSubmit={onSubmit} aria-label="Rollout">
      <div class="field">
        <label for={`${id}-goal`}>Goal</label>
        <textarea
          id={`${id}-goal`}
          rows={2}
          dir="auto"
          required
          value={draft.goal}
          onInput={(event) => onChange({ goal: event.currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for={`${id}-state`}>
          State <span class="label-hint">where things stand; empty is the neutral one</span>
        </label>
        <textarea
          id={`${id}-state`}
          rows={2}
          dir="auto"
          value={draft.state}
          onInput={(event) => onChange({ state: event.currentTarget.value })}
        />
      </div>
      <SequenceField value={draft.actions} onChange={(actions) => onChange({ actions })} />
      {draft.actions.length === 0 && (
        <div class="field">
          <label for={`${id}-steps`}>
            Steps <span class="label-hint">at most {draft.maxSteps}, planned by the model</span>
          </label>
          <input
            id={`${id}-steps`}
            type="range"
            min={1}
            max={10}
            value={draft.maxSteps}
            onInput={(event) => onChange({ maxSteps: Number(event.currentTarget.value) })}
          />
        </div>
      )}
      <div class="row">
        <SubmitButton look="primary" busy={busy}>
          {busy ? "Predicting…" : "Predict"}
        </SubmitButton>
      </div>
    </form>
  );
}

function RolloutResult({ rollout: { predictions, summary, initial_state: begin }, charged }: Shown) {
  const [box, width] = useWidth<HTMLDivElement>();
  return (
    <section class="card result" aria-label="Prediction">
      <p class="outcome" role="status">
        {summary.outcome}
      </p>
      <div ref={box}>
        <RolloutChart predictions={predictions} available={width} />
      </div>
      <ul class="legend">
        <li>
          <span class="key-bar" /> predicted change of a step
        </li>
        <li>
          <span class="key-line" /> magnitude of the state
        </li>
      </ul>
      <ol class="predictions">
        {predictions.map(({ step, action, interpretation, predicted_state: after }) => (
          <li key={step}>
            <strong>
              {step}. <bdi>{readable(action.action_name)}</bdi>
            </strong>{" "}
            <span class={`confidence confidence-${after.confidence.toLowerCase()}`}>{after.confidence}</span>
            <p class="hint">{interpretation}</p>
          </li>
        ))}
      </ol>
      <p class="hint">
        Begins from: <q dir="auto">{begin}</q>
        {charged !== null && ` · ${formatCredits(Number(charged))} credits charged`}
      </p>
    </section>
  );
}
