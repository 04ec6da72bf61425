/**
 * A button for what cannot be undone: the first press asks, the second does it, leaving it takes the question back. A double
 * click only asks: nobody has read the question between its halves.
 */
import { useState } from "preact/hooks";
import { isRepeated } from "../components/clicks.ts";

export function SureButton({ label, about, onSure }: { label: string; about: string; onSure: () => void }) {
  const [asked, setAsked] = useState(false);
  const press = (event: MouseEvent) => {
    if (isRepeated(event)) return;
    if (asked) onSure();
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
