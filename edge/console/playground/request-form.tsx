/** The left side: state, goal, tools, model, parameters. Keeps no state: the playground holds the draft. */
import type { SubmitEventHandler } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Notice } from "../components/boxes/notice.tsx";
import { ignoreHeldKey, isRepeated } from "../components/controls/clicks.ts";
import { CopyButton } from "../components/controls/copy-button.tsx";
import { Field, TextField } from "../components/controls/field.tsx";
import { type Draft, openingMessages, readSettings, readTools } from "./draft.ts";
import { examples, writeTools } from "./examples.ts";
import { ModelPicker } from "./model-picker.tsx";
import { ParametersFields } from "./parameters-fields.tsx";
import { type Language, writers } from "./snippets.ts";

export type RequestFormProps = {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  onRun: () => void;
  onStop: () => void;
  onProblem: (problem: string) => void;
  running: boolean;
  problem: string | undefined;
};

export function RequestForm(props: RequestFormProps) {
  const { draft, onChange, onRun, problem } = props;
  const submit: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault();
    onRun();
  };
  return (
    <form class="card request" onSubmit={submit} aria-label="Request">
      <TextField
        label="Goal"
        hint="the user's message"
        value={draft.goal}
        onText={(goal) => onChange({ goal })}
      />
      <TextField
        label="State"
        hint="the system message: where things stand"
        value={draft.state}
        onText={(state) => onChange({ state })}
      />
      <ToolsField value={draft.tools} onInput={(tools) => onChange({ tools })} />
      <ModelPicker value={draft.model} onChange={(model) => onChange({ model })} />
      <ParametersFields value={draft.parameters} onChange={(parameters) => onChange({ parameters })} />
      <label class="check">
        <input
          type="checkbox"
          checked={draft.compare}
          onChange={(event) => onChange({ compare: event.currentTarget.checked })}
        />
        Compare with an answer without the plan
      </label>
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      <div class="row">
        <RunButton {...props} />
        <CopyAs {...props} />
      </div>
    </form>
  );
}

function RunButton({ running, onStop }: Pick<RequestFormProps, "running" | "onStop">) {
  const button = useRef<HTMLButtonElement>(null);
  // Read before Run and Stop change places: an element that is removed takes the focus with it.
  const hadFocus = button.current !== null && document.activeElement === button.current;
  useLayoutEffect(() => {
    if (hadFocus) button.current?.focus({ preventScroll: true });
  }, [running]);
  // Keys: one element that turned from Stop into Run under the pointer would submit the form at once.
  return running ? (
    <button
      key="stop"
      ref={button}
      type="button"
      class="stop"
      onClick={(event) => isRepeated(event) || onStop()}
      onKeyDown={ignoreHeldKey}
    >
      Stop
    </button>
  ) : (
    <button
      key="run"
      ref={button}
      type="submit"
      class="primary"
      onKeyDown={ignoreHeldKey}
      onClick={(event) => isRepeated(event) && event.preventDefault()}
    >
      Run
    </button>
  );
}

function ToolsField({ value, onInput }: { value: string; onInput: (tools: string) => void }) {
  const tools = readTools(value);
  const count = tools.ok ? `${tools.value.length || "none"}` : "not readable yet";
  return (
    <details>
      <summary>
        Tools <span class="label-hint">{count}</span>
      </summary>
      <Field label="Preset">
        {(id) => (
          <select
            id={id}
            value=""
            onChange={(event) => {
              const chosen = examples[Number(event.currentTarget.value)];
              onInput(writeTools(chosen?.tools ?? []));
              event.currentTarget.value = "";
            }}
          >
            <option value="" disabled>
              Choose…
            </option>
            <option value="-1">No tools</option>
            {examples.map(({ name, tools: preset }, index) =>
              preset.length === 0 ? null : (
                <option key={name} value={index}>
                  {name} ({preset.length} tools)
                </option>
              ),
            )}
          </select>
        )}
      </Field>
      <Field label="Tools as JSON">
        {(id) => (
          <>
            <textarea
              id={id}
              class="code"
              rows={8}
              spellcheck={false}
              dir="ltr"
              value={value}
              onInput={(event) => onInput(event.currentTarget.value)}
              aria-invalid={!tools.ok}
            />
            {!tools.ok && <p class="hint field-error">{tools.message}</p>}
          </>
        )}
      </Field>
    </details>
  );
}

function CopyAs({ draft, onProblem }: Pick<RequestFormProps, "draft" | "onProblem">) {
  const read = (language: Language) => () => {
    const settings = readSettings(draft);
    if (!settings.ok) {
      onProblem(settings.message);
      return undefined;
    }
    return writers[language](location.origin, { ...settings.value, messages: openingMessages(draft) });
  };
  return (
    <div class="copy-as hint">
      <span>Copy as</span>
      {(Object.keys(writers) as Language[]).map((language) => (
        <CopyButton key={language} label={language} read={read(language)} />
      ))}
    </div>
  );
}
