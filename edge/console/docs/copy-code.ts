/** A button beside each block of code that copies it. */
import { copyText } from "../components/copy-text.ts";
import { element } from "./element.ts";

const shownMs = 2_000;

export function startCopying(): void {
  for (const block of document.querySelectorAll("pre.copyable")) {
    const words = element("span", { "aria-live": "polite" }, "Copy");
    const button = element("button", { type: "button", class: "quiet small" }, words);
    let timer: number | undefined;
    button.addEventListener("click", async () => {
      words.textContent = await copyText(block.textContent);
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        words.textContent = "Copy";
      }, shownMs);
    });
    const box = element("div", { class: "code-box" });
    block.replaceWith(box);
    box.append(block, button);
  }
}
