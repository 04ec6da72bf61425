/** A value that components watch: the only kind of state that they share. */
import { useEffect, useState } from "preact/hooks";

export type Store<Value> = {
  get(): Value;
  set(next: Value): void;
  /** Calls back after each change. @returns a function that stops it */
  subscribe(listener: () => void): () => void;
};

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The store's value; the component is drawn again when it changes. */
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
