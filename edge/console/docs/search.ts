/** The search over all documents: an index of their sections, loaded when the reader first types. */
import * as z from "zod/mini";
import { element } from "./element.ts";
import { excerpt, type Section, searchSections } from "./search-sections.ts";

const Index = z.array(
  z.object({ path: z.string(), page: z.string(), heading: z.string(), text: z.string() }),
);
const maxShown = 12;

export function startSearch(): void {
  const field = document.getElementById("search") as HTMLInputElement | null;
  const found = document.getElementById("found");
  if (field === null || found === null) return;
  let index: Promise<Section[] | undefined> | undefined;
  field.addEventListener("input", async () => {
    index ??= loadIndex();
    const sections = await index;
    const search = field.value;
    found.hidden = search.trim() === "";
    if (sections === undefined) {
      // The next letter loads it again.
      index = undefined;
      found.replaceChildren(
        element("li", { class: "hint" }, "The search could not be loaded; type on to try again."),
      );
      return;
    }
    const hits = searchSections(sections, search, maxShown);
    found.replaceChildren(
      ...(hits.length === 0
        ? [element("li", { class: "hint" }, "Nothing found.")]
        : hits.map((hit) => draw(hit, search))),
    );
  });
}

/** Undefined if it cannot be loaded. */
async function loadIndex(): Promise<Section[] | undefined> {
  const body: unknown = await fetch("/console/docs-index.json")
    .then((response) => response.json())
    .catch(() => undefined);
  return Index.safeParse(body).data;
}

const draw = ({ path, page, heading, text }: Section, search: string): HTMLElement =>
  element(
    "li",
    {},
    element("a", { href: path }, heading === page ? page : `${page}: ${heading}`),
    element("p", { class: "hint" }, excerpt(text, search)),
  );
