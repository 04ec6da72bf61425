/** The request's numbers. An empty field leaves the provider's default. */
import { useId } from "preact/hooks";
import type { Parameters } from "./draft.ts";

const fields = [
  { field: "temperature", label: "Temperature", step: "any", min: 0, max: 2 },
  { field: "topP", label: "Top p", step: "any", min: 0, max: 1 },
  { field: "maxTokens", label: "Max tokens", step: "1", min: 1 },
  { field: "seed", label: "Seed", step: "1", min: 0 },
  { field: "maxLlmCalls", label: "LLM calls", step: "1", min: 1, max: 10 },
] as const;

export type ParametersFieldsProps = { value: Parameters; onChange: (next: Parameters) => void };

export function ParametersFields({ value, onChange }: ParametersFieldsProps) {
  const id = useId();
  return (
    // Collapsed, the browser could not show which field it refuses: Run would do nothing.
    <details
      class="parameters"
      onInvalidCapture={(event) => {
        event.currentTarget.open = true;
      }}
    >
      <summary>Parameters</summary>
      <div class="parameter-grid">
        {fields.map(({ field, label, ...limits }) => (
          <div class="field" key={field}>
            <label for={`${id}-${field}`}>{label}</label>
            <input
              id={`${id}-${field}`}
              type="number"
              inputMode="decimal"
              placeholder="default"
              {...limits}
              value={value[field]}
              onInput={(event) => onChange({ ...value, [field]: event.currentTarget.value })}
            />
          </div>
        ))}
        <div class="field">
          <label for={`${id}-choice`}>Tool choice</label>
          <select
            id={`${id}-choice`}
            value={value.toolChoice}
            onChange={(event) =>
              onChange({ ...value, toolChoice: event.currentTarget.value as Parameters["toolChoice"] })
            }
          >
            <option value="auto">auto</option>
            <option value="required">required</option>
            <option value="none">none</option>
          </select>
        </div>
      </div>
    </details>
  );
}
