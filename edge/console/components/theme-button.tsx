/** One button that cycles through the themes: the system's, light, dark. */
import { type Theme, theme, themes } from "../theme.ts";
import { useStore } from "../use-store.ts";

const marks: Record<Theme, string> = { system: "◐", light: "☀", dark: "☾" };

export function ThemeButton() {
  const chosen = useStore(theme);
  const next = themes[(themes.indexOf(chosen) + 1) % themes.length]!;
  return (
    <button
      type="button"
      class="quiet icon"
      onClick={() => theme.set(next)}
      aria-label={`Theme: ${chosen}. Change to ${next}`}
      title={`Theme: ${chosen}`}
    >
      <span aria-hidden="true">{marks[chosen]}</span>
    </button>
  );
}
