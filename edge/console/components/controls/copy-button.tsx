/** Copies a text, and says so for two seconds. `read` returns undefined if there is nothing to copy, after telling the user why. */
import { useEffect, useState } from "preact/hooks";

const shownMs = 2_000;

export function CopyButton({ label, read }: { label: string; read: () => string | undefined }) {
  const [said, setSaid] = useState<string | undefined>();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => setSaid(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    const text = read();
    if (text === undefined) return;
    try {
      // Over http browsers have no clipboard to write to, except on this machine.
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      setSaid("The browser did not allow it");
    }
  };
  return (
    <button type="button" class="quiet small" onClick={copy}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}
