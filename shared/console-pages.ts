/** The console's pages by their paths: the edge serves them, the page shows them, the documents link to them. */

/** `apart`: in the navigation of operators only, or of nobody. */
export type ConsolePage = { title: string; apart?: "operator" | "all" };

export const consolePages = {
  "/": { title: "Playground" },
  "/rollout": { title: "Rollout" },
  "/embeddings": { title: "Embeddings" },
  "/account": { title: "Account" },
  "/sign-in": { title: "Sign in", apart: "all" },
  "/operator": { title: "Operator", apart: "operator" },
} as const satisfies Readonly<Record<string, ConsolePage>>;

export type ConsolePath = keyof typeof consolePages;
export const consolePaths = Object.keys(consolePages) as ConsolePath[];
/** The page that a path shows: the one of that path, else one that it lies below, else the first. */
export const pageOf = (path: string): ConsolePath =>
  consolePaths.find((page) => path === page || (page !== "/" && path.startsWith(`${page}/`))) ?? "/";
/** In the order of the navigation. */
export const linkedPages = (isOperator: boolean): { path: ConsolePath; title: string }[] =>
  consolePaths.flatMap((path) => {
    const { title, apart }: ConsolePage = consolePages[path];
    return apart === undefined || (isOperator && apart === "operator") ? [{ path, title }] : [];
  });
