/** A component that is drawn again only if a prop has changed: preact/compat's `memo`, without the rest of that package. */
import { Component, type ComponentChildren, h } from "preact";

export function memo<Props extends object>(draw: (props: Props) => ComponentChildren) {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const now = this.props as Record<string, unknown>;
      return Object.entries(next).some(([name, value]) => !Object.is(now[name], value));
    }

    override render() {
      return h(draw as (props: Props) => ReturnType<typeof h>, this.props as Props);
    }
  };
}
