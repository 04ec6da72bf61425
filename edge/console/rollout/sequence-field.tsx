/** A field for a sequence of actions: search, add, remove. */
import { useEffect, useState } from "preact/hooks";
import { type Action, loadActions } from "../api/rollout.ts";
import { Combobox, countHidden, joinHints } from "../components/controls/combobox.tsx";
import { readable } from "../components/format.ts";
import { searchActions } from "./search-actions.ts";

const maxShown = 30;
/** As many as the API takes. */
const maxActions = 50;

export type SequenceFieldProps = { value: readonly Action[]; onChange: (next: readonly Action[]) => void };

export function SequenceField({ value, onChange }: SequenceFieldProps) {
  const [actions, setActions] = useState<readonly Action[]>([]);
  const [search, setSearch] = useState("");
  const [active, setActive] = useState<string | undefined>();
  useEffect(() => void loadActions().then(setActions), []);
  const found = searchActions(actions, search);
  const looked = actions.find(({ id }) => String(id) === active);
  const add = (id: string) => {
    const action = actions.find((candidate) => String(candidate.id) === id);
    if (action && value.length < maxActions) onChange([...value, action]);
    setSearch("");
  };
  return (
    <div class="field">
      <Combobox
        label="Add an action"
        text={search}
        placeholder={`search ${actions.length || "the"} actions by name`}
        options={found.slice(0, maxShown).map(({ id, name, category }) => ({
          value: String(id),
          label: readable(name),
          note: category,
        }))}
        onText={setSearch}
        onTake={add}
        onActive={setActive}
        foot={joinHints(looked?.gloss, countHidden(found.length, maxShown))}
      />
      {value.length === 0 && <p class="hint">Your own sequence replaces the planned one.</p>}
      {value.length > 0 && (
        <ol class="sequence" aria-label="Given sequence">
          {value.map((action, index) => (
            <li key={`${index} ${action.id}`}>
              <span>
                {index + 1}. <bdi>{readable(action.name)}</bdi>
              </span>
              <button
                type="button"
                class="quiet small"
                onClick={({ currentTarget }) => {
                  // The button is removed with its action, so the field gets the focus. Not after a tap: a phone would open its keyboard.
                  if (currentTarget.matches(":focus-visible"))
                    currentTarget.closest(".field")?.querySelector("input")?.focus();
                  onChange(value.filter((_, other) => other !== index));
                }}
                aria-label={`Remove ${readable(action.name)}`}
              >
                ✕
              </button>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
