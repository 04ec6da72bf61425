/** The rollout page: what a sequence of actions would change, planned toward a goal or given by name. Nothing is executed. */
import { useState } from "preact/hooks";
import { type Action, askRollout, type Rollout, type RolloutRequest } from "../api/rollout.ts";
import { useWidth } from "../components/boxes/use-width.ts";
import { FailureNotice } from "../components/caller/failure.tsx";
import { CopyButton } from "../components/controls/copy-button.tsx";
import { Field, TextField } from "../components/controls/field.tsx";
import { SubmitButton } from "../components/controls/submit.tsx";
import { formatCredits, readable } from "../components/format.ts";
import { useSubmit, WorldModelPage } from "../components/world-model-page.tsx";
import { writeCurl } from "../components/write-curl.ts";
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

const readRequest = ({ goal, state, maxSteps, actions }: Draft): RolloutRequest => ({
  goal,
  max_steps: maxSteps,
  ...(state.trim() !== "" && { initial_state: state }),
  ...(actions.length > 0 && { actions: actions.map(({ id }) => id) }),
});

export function RolloutPage() {
  const [draft, setDraft] = useState(kept.draft);
  const [shown, setShown] = useState(kept.shown);
  kept = { draft, shown };
  const form = useSubmit(
    `Rollout: ${draft.goal}`,
    () => askRollout(readRequest(draft)),
    ({ value, headers }) => setShown({ rollout: value, charged: headers.get("x-svc-credits-charged") }),
  );
  return (
    <WorldModelPage
      title="Rollout"
      intro="What a sequence of actions would change, predicted by the world model. Nothing is executed, no LLM is called."
      empty="Predict to see how far each step is expected to move the world: one bar a step, and the state's magnitude as a line."
      form={
        <RolloutForm {...form} draft={draft} onChange={(changes) => setDraft({ ...draft, ...changes })} />
      }
      shown={shown}
      result={shown && <RolloutResult {...shown} />}
    />
  );
}

type RolloutFormProps = ReturnType<typeof useSubmit> & {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
};

function RolloutForm({ draft, onChange, submit, busy, problem }: RolloutFormProps) {
  return (
    <form class="card request" onSubmit={submit} aria-label="Rollout">
      <TextField label="Goal" required value={draft.goal} onText={(goal) => onChange({ goal })} />
      <TextField
        label="State"
        hint="where things stand; empty is the neutral one"
        value={draft.state}
        onText={(state) => onChange({ state })}
      />
      <SequenceField value={draft.actions} onChange={(actions) => onChange({ actions })} />
      {draft.actions.length === 0 && (
        <Field label="Steps" hint={`at most ${draft.maxSteps}, planned by the model`}>
          {(id) => (
            <input
              id={id}
              type="range"
              min={1}
              max={10}
              value={draft.maxSteps}
              onInput={(event) => onChange({ maxSteps: Number(event.currentTarget.value) })}
            />
          )}
        </Field>
      )}
      {problem !== undefined && <FailureNotice {...problem} />}
      <div class="row">
        <SubmitButton look="primary" busy={busy}>
          {busy ? "Predicting…" : "Predict"}
        </SubmitButton>
        <CopyButton
          label="Copy as curl"
          read={() => writeCurl(location.origin, "/v1/rollout", readRequest(draft))}
        />
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
      <ul class="legend hint">
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
