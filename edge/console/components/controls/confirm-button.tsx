/**
 * A button for actions that cannot be undone: the first press asks for confirmation, the second acts, moving the focus away
 * cancels. Neither the second half of a double click nor a key that is held down counts as confirmation, since nobody has read the
 * question yet.
 */
import type { TargetedMouseEvent } from "preact";
import { useState } from "preact/hooks";
import { focusHeading } from "../focus-heading.ts";
import { ignoreHeldKey, isRepeated } from "./clicks.ts";

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
  const press = (event: TargetedMouseEvent<HTMLButtonElement>) => {
    if (isRepeated(event)) return;
    // Safari does not focus a button that is clicked. Without the focus it could not lose it, and the question would stay.
    event.currentTarget.focus();
    if (asked) {
      // The button may vanish with what it acts on.
      focusHeading(event.currentTarget);
      onConfirm();
    }
    setAsked(!asked);
  };
  return (
    <button
      type="button"
      class={asked ? "small stop" : "small danger"}
      onClick={press}
      onKeyDown={ignoreHeldKey}
      onBlur={() => setAsked(false)}
      aria-label={asked ? `Really ${label.toLowerCase()} ${about}?` : `${label} ${about}`}
    >
      {asked ? "Really?" : label}
    </button>
  );
}
