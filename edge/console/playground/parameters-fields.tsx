/** The request's numbers. An empty field leaves the provider's default. */
import { Field } from "../components/controls/field.tsx";
import { type Parameters, toolChoices } from "./draft.ts";

const fields = [
  { field: "temperature", label: "Temperature", step: "any", min: 0, max: 2 },
  { field: "topP", label: "Top p", step: "any", min: 0, max: 1 },
  { field: "maxTokens", label: "Max tokens", step: "1", min: 1 },
  { field: "seed", label: "Seed", step: "1", min: 0 },
  { field: "maxLlmCalls", label: "LLM calls", step: "1", min: 1, max: 10 },
] as const;

export type ParametersFieldsProps = { value: Parameters; onChange: (next: Parameters) => void };

export function ParametersFields({ value, onChange }: ParametersFieldsProps) {
  return (
    // Collapsed, the browser could not show which field it refuses: Run would do nothing.
    <details
      onInvalidCapture={(event) => {
        event.currentTarget.open = true;
      }}
    >
      <summary>Parameters</summary>
      <div class="parameter-grid">
        {fields.map(({ field, label, ...limits }) => (
          <Field key={field} label={label}>
            {(id) => (
              <input
                id={id}
                type="number"
                inputMode="decimal"
                placeholder="default"
                {...limits}
                value={value[field]}
                onInput={(event) => onChange({ ...value, [field]: event.currentTarget.value })}
              />
            )}
          </Field>
        ))}
        <Field label="Tool choice">
          {(id) => (
            <select
              id={id}
              value={value.toolChoice}
              onChange={(event) =>
                onChange({ ...value, toolChoice: event.currentTarget.value as Parameters["toolChoice"] })
              }
            >
              {toolChoices.map((choice) => (
                <option key={choice}>{choice}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
    </details>
  );
}
