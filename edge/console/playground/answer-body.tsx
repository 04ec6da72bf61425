/** The box that an AnswerText writes into; follows the newest line while the reader is at the end. */
import { useEffect, useRef } from "preact/hooks";
import type { AnswerText } from "./answer-text.ts";

/** Distance from the end, in pixels, that still counts as the end. */
const nearEnd = 40;

export function AnswerBody({ text, label, class: name }: { text: AnswerText; label: string; class: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = host.current!;
    const detach = text.attach(box);
    let atEnd = true;
    let frame = 0;
    let followed = 0;
    // Reading the scroll height makes the browser lay out, so it is read once per frame, not once per chunk.
    const follow = () => {
      frame = 0;
      if (!atEnd) return;
      box.scrollTop = box.scrollHeight;
      followed = box.scrollTop;
    };
    const observer = new MutationObserver(() => {
      if (frame === 0) frame = requestAnimationFrame(follow);
    });
    // The event of our own scrolling comes a frame later, when more text may be below: only a scroll upwards means that somebody reads.
    const noteScroll = () => {
      if (box.scrollHeight - box.scrollTop - box.clientHeight < nearEnd) atEnd = true;
      else if (box.scrollTop < followed) atEnd = false;
    };
    observer.observe(box, { subtree: true, childList: true, characterData: true });
    box.addEventListener("scroll", noteScroll, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", noteScroll);
      cancelAnimationFrame(frame);
      detach();
    };
  }, [text]);
  return (
    // A group, not a region: a conversation has many answers, and a page's regions are told apart by name.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div ref={host} role="group" class={name} aria-label={label} tabIndex={0} />
  );
}
