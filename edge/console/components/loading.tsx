/** Shows "Loading…" if something takes long enough to be noticed. */
export function Loading({ what = "Loading…" }: { what?: string }) {
  return (
    <p class="hint loading" role="status">
      {what}
    </p>
  );
}
