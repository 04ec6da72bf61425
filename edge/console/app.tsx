/**
 * The frame of every page: header with navigation, theme and key, and the page itself. Pages other than the first are loaded when
 * they are shown.
 */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type ConsolePath, consolePages, linkedPages, pageOf } from "../../shared/console-pages.ts";
import { AccountChip } from "./components/account-chip.tsx";
import { Loading } from "./components/loading.tsx";
import { Notice } from "./components/notice.tsx";
import { ThemeButton } from "./components/theme-button.tsx";
import { PlaygroundPage } from "./playground/playground-page.tsx";
import { followLink, path } from "./router.ts";
import { caller } from "./session.ts";
import { useStore } from "./store.ts";

type Load = () => Promise<ComponentType>;

const pages: Readonly<Record<ConsolePath, Load>> = {
  "/": async () => PlaygroundPage,
  "/rollout": async () => (await import("./rollout/rollout-page.tsx")).RolloutPage,
  "/embeddings": async () => (await import("./embeddings/embeddings-page.tsx")).EmbeddingsPage,
  "/account": async () => (await import("./account/account-page.tsx")).AccountPage,
  "/sign-in": async () => (await import("./sign-in/sign-in-page.tsx")).SignInPage,
  "/operator": async () => (await import("./operator/operator-page.tsx")).OperatorPage,
};

export function App() {
  const page = pageOf(useStore(path));
  const who = useStore(caller);
  const isOperator = who?.kind === "session" && who.operator;
  useEffect(() => {
    document.title =
      page === "/" ? "svc: see the plan before the answer" : `${consolePages[page].title} · svc`;
  }, [page]);
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href="/" onClick={followLink}>
          <img src="/console/mark.svg" alt="" width="24" height="24" />
          svc
        </a>
        <nav class="pages" aria-label="Pages">
          {linkedPages(isOperator).map(({ path: to, title }) => (
            <a
              key={to}
              href={to}
              onClick={followLink}
              {...(to === page && { "aria-current": "page" as const })}
            >
              {title}
            </a>
          ))}
          <a href="/docs">Docs</a>
        </nav>
        <div class="top-end">
          <AccountChip />
          <ThemeButton />
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Loaded key={page} page={page} />
      </main>
    </>
  );
}

function Loaded({ page }: { page: ConsolePath }) {
  const [loaded, setLoaded] = useState<{ Component: ComponentType } | "failed" | undefined>(
    page === "/" ? { Component: PlaygroundPage } : undefined,
  );
  useEffect(() => {
    pages[page]().then(
      (Component) => setLoaded({ Component }),
      () => setLoaded("failed"),
    );
  }, [page]);
  if (loaded === "failed")
    return <Notice kind="error">This page could not be loaded. Reload it to try again.</Notice>;
  return loaded ? <loaded.Component /> : <Loading />;
}
