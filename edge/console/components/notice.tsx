/** A sentence that stands out: an error is announced at once, anything else when the reader pauses. */
import type { ComponentChildren } from "preact";

export function Notice({ kind, children }: { kind: "error" | "info"; children: ComponentChildren }) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "error" ? "alert" : "status"}>
      {children}
    </div>
  );
}
