/** The frame of every page: the header, and the page itself. Pages other than the first are loaded when they are shown. */
import type { ComponentType } from "preact";
import { useCallback, useEffect, useLayoutEffect, useState } from "preact/hooks";
import { type ConsolePath, consolePages, pageOf } from "../../shared/console-pages.ts";
import { Loading, Refused } from "./components/query.tsx";
import { Header } from "./header.tsx";
import { PlaygroundPage } from "./playground/playground-page.tsx";
import { path } from "./router.ts";
import { useStore } from "./use-store.ts";

type Load = () => Promise<ComponentType>;

/**
 * Browsers remember that a module could not be loaded and do not request it again until the page is loaded anew, which would lose a
 * conversation and a pasted key. With another fragment the same address counts as another module, so it is imported a second time under
 * one. An error that does not name the address is passed on.
 */
async function load<Module>(importModule: () => Promise<Module>): Promise<Module> {
  try {
    return await importModule();
  } catch (error) {
    const address = /https?:\S+\.js/.exec(String(error))?.[0];
    if (address === undefined) throw error;
    return (await import(`${address}#${Date.now()}`)) as Module;
  }
}

const pages: Readonly<Record<ConsolePath, Load>> = {
  "/": async () => PlaygroundPage,
  "/rollout": async () => (await load(() => import("./rollout/rollout-page.tsx"))).RolloutPage,
  "/embeddings": async () => (await load(() => import("./embeddings/embeddings-page.tsx"))).EmbeddingsPage,
  "/account": async () => (await load(() => import("./account/account-page.tsx"))).AccountPage,
  "/sign-in": async () => (await load(() => import("./sign-in/sign-in-page.tsx"))).SignInPage,
  "/operator": async () => (await load(() => import("./operator/operator-page.tsx"))).OperatorPage,
};

export function App() {
  const page = pageOf(useStore(path));
  useEffect(() => {
    document.title =
      page === "/" ? "svc: see the plan before the answer" : `${consolePages[page].title} · svc`;
  }, [page]);
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to content
      </a>
      <Header page={page} />
      <main id="main" tabIndex={-1}>
        <Loaded key={page} page={page} />
      </main>
    </>
  );
}

const notLoaded =
  "This page could not be loaded. If it still cannot when you are online, reload it: that clears the playground.";

/** A browser is "online" as soon as it has an address; names are resolved a little later, and a request in between fails. */
const networkStartMs = 500;

function Loaded({ page }: { page: ConsolePath }) {
  const [loaded, setLoaded] = useState<{ Component: ComponentType } | "failed" | undefined>(
    page === "/" ? { Component: PlaygroundPage } : undefined,
  );
  const ask = useCallback(() => {
    setLoaded((before) => (before === "failed" ? undefined : before));
    pages[page]().then(
      (Component) => setLoaded({ Component }),
      () => setLoaded("failed"),
    );
  }, [page]);
  useEffect(ask, [ask]);
  const hasFailed = loaded === "failed";
  // Before the page is drawn, so that no event is missed once it says that it could not be loaded.
  useLayoutEffect(() => {
    if (!hasFailed) return;
    let timer: number | undefined;
    const askSoon = () => {
      clearTimeout(timer);
      timer = window.setTimeout(ask, networkStartMs);
    };
    addEventListener("online", askSoon);
    return () => {
      clearTimeout(timer);
      removeEventListener("online", askSoon);
    };
  }, [hasFailed, ask]);
  if (hasFailed)
    return (
      <div class="account">
        <h1>{consolePages[page].title}</h1>
        <Refused status={0} message={notLoaded} onAgain={ask} />
      </div>
    );
  return loaded ? <loaded.Component /> : <Loading />;
}
