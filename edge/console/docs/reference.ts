/** The API reference, drawn from /openapi.json: one section for each operation, with its parameters, body and answers. */
import { element, withCode } from "./element.ts";
import { describeSchema, type Field, listOperations, type Operation } from "./read-openapi.ts";

export async function showReference(host: HTMLElement): Promise<void> {
  const response = await fetch("/openapi.json").catch(() => undefined);
  const document: unknown = response?.ok ? await response.json().catch(() => undefined) : undefined;
  const operations = listOperations(document);
  if (operations.length === 0) {
    host.replaceChildren(
      element(
        "p",
        { class: "notice notice-info" },
        "The reference could not be loaded from /openapi.json: reload the page to try again. The endpoints are described under Getting started, too.",
      ),
    );
    return;
  }
  const contents = element(
    "ul",
    { class: "operations" },
    ...operations.map(({ id, method, path }) =>
      element("li", {}, element("a", { href: `#${id}` }, element("code", {}, `${method} ${path}`))),
    ),
  );
  host.replaceChildren(contents, ...operations.map((operation) => draw(operation, document)));
}

function draw(
  { id, method, path, summary, description, parameters, body, answers }: Operation,
  document: unknown,
): HTMLElement {
  const section = element(
    "section",
    { id, class: "operation" },
    element("h2", {}, element("span", { class: "method" }, method), " ", element("code", {}, path)),
  );
  for (const words of [summary, description])
    if (words !== "") section.append(element("p", {}, ...withCode(words)));
  if (parameters.length > 0)
    section.append(
      element("h3", {}, "Parameters"),
      drawFields(parameters, `Parameters of ${method} ${path}`),
    );
  const fields = describeSchema(body, document);
  if (fields.length > 0)
    section.append(element("h3", {}, "Body"), drawFields(fields, `Body of ${method} ${path}`));
  if (answers.length > 0)
    section.append(element("h3", {}, "Answers"), drawFields(answers, `Answers of ${method} ${path}`));
  return section;
}

function drawFields(fields: readonly Field[], label: string): HTMLElement {
  const rows = fields.map(({ name, type, required, words }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, element("code", {}, name), required ? " required" : ""),
      element("td", {}, type),
      element("td", {}, ...withCode(words)),
    ),
  );
  const head = ["Name", "Type", "Meaning"].map((name) => element("th", { scope: "col" }, name));
  return element(
    "div",
    { class: "scroll-x", tabindex: "0", role: "region", "aria-label": label },
    element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)),
  );
}
