/**
 * A button for actions that cannot be undone: the first press asks for confirmation, the second acts, moving the focus away
 * cancels. The second half of a double click does not count as confirmation, since nobody has read the question yet.
 */
import { useState } from "preact/hooks";
import { isRepeated } from "./clicks.ts";

export function ConfirmButton({
  label,
  about,
  onConfirm,
}: {
  label: string;
  about: string;
  onConfirm: () => void;
}) {
  const [asked, setAsked] = useState(false);
  const press = (event: MouseEvent) => {
    if (isRepeated(event)) return;
    if (asked) onConfirm();
    setAsked(!asked);
  };
  return (
    <button
      type="button"
      class={asked ? "small stop" : "small danger"}
      onClick={press}
      onBlur={() => setAsked(false)}
      aria-label={asked ? `Really ${label.toLowerCase()} ${about}?` : `${label} ${about}`}
    >
      {asked ? "Really?" : label}
    </button>
  );
}
