/** Copies a text, and says so for two seconds. `read` returns undefined if there is nothing to copy, after telling the user why. */
import { useEffect, useState } from "preact/hooks";
import { copyText } from "../copy-text.ts";

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
    setSaid(await copyText(text));
  };
  return (
    <button type="button" class="quiet small" onClick={copy}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}
