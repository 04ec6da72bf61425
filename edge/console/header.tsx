/** The header of every page: navigation, account, theme. */
import { type ConsolePath, linkedPages } from "../../shared/console-pages.ts";
import { account, type Balance } from "./api/account.ts";
import { sessionAnswer } from "./api/session.ts";
import { SignOutButton } from "./components/caller/sign-out-button.tsx";
import { cutToCents, formatCredits } from "./components/format.ts";
import { followLink } from "./router.ts";
import { caller } from "./session.ts";
import { type Theme, theme, themes } from "./theme.ts";
import { useStore } from "./use-store.ts";

/** @param page the one that is shown */
export function Header({ page }: { page: ConsolePath }) {
  const who = useStore(caller);
  const isOperator = who?.kind === "session" && who.operator;
  return (
    <header class="top">
      <a class="brand" href="/" onClick={followLink}>
        <img src="/console/mark.svg" alt="" width="24" height="24" />
        svc
      </a>
      <nav class="pages" aria-label="Pages">
        {linkedPages(isOperator).map(({ path: to, title }) => (
          <a key={to} href={to} onClick={followLink} aria-current={to === page ? "page" : undefined}>
            {title}
          </a>
        ))}
        <a href="/docs">Docs</a>
      </nav>
      <div class="top-end">
        <AccountChip page={page} />
        <ThemeButton />
      </div>
    </header>
  );
}

/** Whose credits are used, with a way to sign out; or a way to sign in. */
function AccountChip({ page }: { page: ConsolePath }) {
  const known = useStore(account);
  const who = useStore(caller);
  const answer = useStore(sessionAnswer);
  if (who === undefined)
    return page === "/sign-in" || answer === "pending" ? null : (
      <a class="sign-in-link" href="/sign-in" onClick={followLink}>
        Sign in
      </a>
    );
  return (
    <div class="chip">
      {known.state === "known" && <Credits {...known.balance} />}
      <SignOutButton look="quiet small" />
    </div>
  );
}

function Credits({ balance, email }: Balance) {
  return (
    <>
      <span class="chip-email" title={email}>
        <bdi>{email}</bdi>
      </span>
      <span class="chip-credits" title={`${formatCredits(balance)} credits`}>
        {formatCredits(cutToCents(balance))} credits
      </span>
    </>
  );
}

const marks: Record<Theme, string> = { system: "◐", light: "☀", dark: "☾" };

/** One button that cycles through the themes: the system's, light, dark. */
function ThemeButton() {
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
