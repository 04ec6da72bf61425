/** The theme: light, dark, or the system's. The only value ever kept in localStorage. */
import { createStore } from "./store.ts";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const slot = "svc-theme";

function readKept(): Theme {
  try {
    const kept = localStorage.getItem(slot);
    return themes.find((theme) => theme === kept) ?? "system";
  } catch {
    // Storage is switched off in this browser.
    return "system";
  }
}

export const theme = createStore<Theme>(readKept());

export function showTheme(): void {
  const chosen = theme.get();
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

/** Shows and keeps each later choice; first-theme.ts has shown the kept one. */
export function startTheme(): void {
  theme.subscribe(() => {
    showTheme();
    try {
      localStorage.setItem(slot, theme.get());
    } catch {
      // The choice then lasts as long as the page.
    }
  });
}
