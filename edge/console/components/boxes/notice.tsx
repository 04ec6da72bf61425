/** A highlighted sentence: a screen reader announces an error at once, anything else at its next pause. */
import type { ComponentChildren } from "preact";

export function Notice({ kind, children }: { kind: "error" | "info"; children: ComponentChildren }) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "error" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** A ref for a box that may appear out of sight, such as a notice above the part that was acted on: scrolls it into view. */
export function bringIntoView(box: HTMLElement | null): void {
  box?.scrollIntoView({ block: "nearest" });
}
