/** The frame of every page: header with navigation, theme and key, the page itself. Pages beyond the first load when shown. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { AccountChip } from "./components/account-chip.tsx";
import { Notice } from "./components/notice.tsx";
import { ThemeButton } from "./components/theme-button.tsx";
import { Playground } from "./playground/playground.tsx";
import { followLink, path } from "./router.ts";
import { caller } from "./session.ts";
import { useStore } from "./store.ts";

/** `apart`: in the navigation of operators only, or of nobody. */
type Page = { path: string; title: string; apart?: "operator" | "all"; load: () => Promise<ComponentType> };

const pages: readonly Page[] = [
  { path: "/", title: "Playground", load: async () => Playground },
  {
    path: "/rollout",
    title: "Rollout",
    load: async () => (await import("./rollout/rollout-page.tsx")).RolloutPage,
  },
  {
    path: "/embeddings",
    title: "Embeddings",
    load: async () => (await import("./embeddings/embeddings-page.tsx")).EmbeddingsPage,
  },
  {
    path: "/account",
    title: "Account",
    load: async () => (await import("./account/account-page.tsx")).AccountPage,
  },
  {
    path: "/sign-in",
    title: "Sign in",
    apart: "all",
    load: async () => (await import("./sign-in/sign-in-page.tsx")).SignInPage,
  },
  {
    path: "/operator",
    title: "Operator",
    apart: "operator",
    load: async () => (await import("./operator/operator-page.tsx")).OperatorPage,
  },
];

export function App() {
  const at = useStore(path);
  const page = pages.find((candidate) => candidate.path === at) ?? pages[0]!;
  const who = useStore(caller);
  const isOperator = who?.kind === "session" && who.operator;
  const inNavigation = pages.filter(
    ({ apart }) => apart === undefined || (isOperator && apart === "operator"),
  );
  useEffect(() => {
    document.title = page.path === "/" ? "svc: see the plan before the answer" : `${page.title} · svc`;
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
          {inNavigation.map(({ path: to, title }) => (
            <a
              key={to}
              href={to}
              onClick={followLink}
              {...(to === page.path && { "aria-current": "page" as const })}
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
        <Loaded key={page.path} page={page} />
      </main>
    </>
  );
}

function Loaded({ page }: { page: Page }) {
  const [loaded, setLoaded] = useState<{ Component: ComponentType } | "failed" | undefined>(
    page.path === "/" ? { Component: Playground } : undefined,
  );
  useEffect(() => {
    page.load().then(
      (Component) => setLoaded({ Component }),
      () => setLoaded("failed"),
    );
  }, [page]);
  if (loaded === "failed")
    return <Notice kind="error">This page could not be loaded. Reload it to try again.</Notice>;
  return loaded ? <loaded.Component /> : null;
}
