/** A hook for a store's value: the component is drawn again when it changes. */
import { useEffect, useState } from "preact/hooks";
import type { Store } from "./store.ts";

export function useStore<Value>(store: Pick<Store<Value>, "get" | "subscribe">): Value {
  const [value, setValue] = useState(() => ({ current: store.get() }));
  useEffect(() => {
    const read = () => setValue({ current: store.get() });
    // The value may have changed between the first drawing and this effect.
    read();
    return store.subscribe(read);
  }, [store]);
  return value.current;
}
