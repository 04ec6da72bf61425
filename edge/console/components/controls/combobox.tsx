/**
 * A text field with suggestions below it, by the ARIA pattern "combobox with listbox popup": arrows move, Enter takes,
 * Escape closes, the focus stays in the field. The caller filters.
 */
import type { ComponentChildren, KeyboardEventHandler } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { formatCount } from "../format.ts";

export type Option = { value: string; label: ComponentChildren; note?: string };

/** Says that a list goes on; undefined if all of it is shown. */
export const countHidden = (found: number, shown: number): string | undefined =>
  found > shown ? `${formatCount(found - shown)} more: write a part of the name.` : undefined;

/** The hints that are there, as one text. */
export const joinHints = (...hints: (string | undefined)[]): string => hints.filter(Boolean).join(" ");

export type ComboboxProps = {
  label: string;
  text: string;
  options: readonly Option[];
  onText: (text: string) => void;
  onTake: (value: string) => void;
  /** Called with the highlighted suggestion, to show details of it below the list. */
  onActive?: (value: string | undefined) => void;
  /** Shown if there is no suggestion; empty: nothing is shown. */
  nothing?: string;
  /** Under the list: counts, prices. */
  foot?: ComponentChildren;
  placeholder?: string;
  /** Select the whole text on focus, for a field that holds a choice. */
  selectOnFocus?: boolean;
  /** `cancelled`: by Escape. */
  onClose?: (cancelled: boolean) => void;
};

export function Combobox(props: ComboboxProps) {
  const { label, text, options, onText, nothing = "Nothing fits." } = props;
  const id = useId();
  const { open, active, setOpen, setActive, take, close, onKeyDown } = useChoice(props);
  const shown = open && options.length > 0;
  return (
    <div class="combobox">
      <label for={`${id}-field`}>{label}</label>
      <input
        id={`${id}-field`}
        role="combobox"
        type="text"
        autocomplete="off"
        spellcheck={false}
        dir="ltr"
        value={text}
        placeholder={props.placeholder}
        aria-expanded={shown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={shown && active >= 0 ? `${id}-${active}` : undefined}
        onInput={(event) => {
          onText(event.currentTarget.value);
          setOpen(true);
          setActive(0);
        }}
        onFocus={(event) => props.selectOnFocus && event.currentTarget.select()}
        onClick={() => setOpen(true)}
        onBlur={() => close()}
        onKeyDown={onKeyDown}
      />
      <div class="popup" hidden={!open}>
        <Suggestions
          id={id}
          label={label}
          options={open ? options : []}
          active={active}
          onPoint={setActive}
          onTake={take}
        />
        {options.length === 0 && nothing !== "" && <p class="hint">{nothing}</p>}
        {props.foot && <p class="hint popup-foot">{props.foot}</p>}
      </div>
    </div>
  );
}

/** Whether the list is open, and which suggestion is highlighted: by its place, -1 for none. */
function useChoice({ options, onTake, onActive, onClose }: ComboboxProps) {
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const activeValue = options[active]?.value;
  useEffect(() => onActive?.(open ? activeValue : undefined), [open, activeValue]);

  const hide = () => {
    setOpen(false);
    setActive(-1);
  };
  const close = (cancelled = false) => {
    hide();
    onClose?.(cancelled);
  };
  const take = (index: number) => {
    const chosen = options[index];
    if (chosen === undefined) return;
    onTake(chosen.value);
    hide();
  };
  const keys: Record<string, () => void> = {
    ArrowDown: () => {
      setOpen(true);
      setActive(Math.min(active + 1, options.length - 1));
    },
    ArrowUp: () => setActive(Math.max(active - 1, 0)),
    Enter: () => (active < 0 ? close() : take(active)),
    Escape: () => close(true),
  };
  const onKeyDown: KeyboardEventHandler<HTMLInputElement> = (event) => {
    const act = event.ctrlKey || event.metaKey ? undefined : keys[event.key];
    if (act === undefined || (!open && event.key !== "ArrowDown")) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return { open, active, setOpen, setActive, take, close, onKeyDown };
}

type SuggestionsProps = Pick<ComboboxProps, "label" | "options"> & {
  /** Of the combobox. */
  id: string;
  /** The place of the highlighted one; -1 for none. */
  active: number;
  onPoint: (index: number) => void;
  onTake: (index: number) => void;
};

function Suggestions({ id, label, options, active, onPoint, onTake }: SuggestionsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div role="listbox" id={`${id}-list`} aria-label={label} ref={list}>
      {options.map(({ value, label: words, note }, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: by the pattern the focus stays in the field
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field's own keys choose
        <div
          key={value}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          onPointerDown={(event) => event.preventDefault()}
          onPointerMove={() => onPoint(index)}
          onClick={() => onTake(index)}
        >
          <bdi>{words}</bdi>
          {note && <span class="note">{note}</span>}
        </div>
      ))}
    </div>
  );
}
