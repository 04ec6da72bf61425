/** The console's pages by path: the edge serves them, the console shows them, the documents link to them. */

/** `apart`: shown only in the navigation of operators, or in none. */
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
/** The page of a path: an exact match, else the page that the path lies below, else the first page. */
export const pageOf = (path: string): ConsolePath =>
  consolePaths.find((page) => path === page || (page !== "/" && path.startsWith(`${page}/`))) ?? "/";
/** In the order of the navigation. */
export const linkedPages = (isOperator: boolean): { path: ConsolePath; title: string }[] =>
  consolePaths.flatMap((path) => {
    const { title, apart }: ConsolePage = consolePages[path];
    return apart === undefined || (isOperator && apart === "operator") ? [{ path, title }] : [];
  });
