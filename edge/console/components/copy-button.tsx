/** Copies a text, and says so for two seconds. */
import { useEffect, useState } from "preact/hooks";

const shownMs = 2_000;

export function CopyButton({ label, read }: { label: string; read: () => string }) {
  const [said, setSaid] = useState<string | undefined>();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => setSaid(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(read()).then(
      () => setSaid("Copied"),
      () => setSaid("The browser did not allow it"),
    );
  return (
    <button type="button" class="quiet small" onClick={copy}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}
