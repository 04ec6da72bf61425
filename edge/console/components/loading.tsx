/** Shows "Loading…" if something takes long enough to be noticed; at once if it `isSlow`. */
export function Loading({ what = "Loading…", isSlow = false }: { what?: string; isSlow?: boolean }) {
  return (
    <p class={isSlow ? "hint" : "hint loading"} role="status">
      {what}
    </p>
  );
}
