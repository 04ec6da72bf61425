/** Names with their values. One without a value is left out. */
export type Fact = {
  label: string;
  value: string | null | undefined;
  title?: string;
  /** The colour it has on the timeline. */
  mark?: "plan" | "first";
};

export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(
        ({ label, value, title, mark }) =>
          value && (
            <div key={label} title={title} class={mark && `mark-${mark}`}>
              <dt>{label}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
