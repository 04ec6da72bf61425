/** A highlighted sentence: a screen reader announces an error at once, anything else at its next pause. */
import type { ComponentChildren } from "preact";

export function Notice({ kind, children }: { kind: "error" | "info"; children: ComponentChildren }) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "error" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** For the box of one that stands above what it is about: on a phone it would be drawn out of sight. */
export function bringIntoView(box: HTMLElement | null): void {
  box?.scrollIntoView({ block: "nearest" });
}
