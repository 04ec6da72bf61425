/** A value that components watch (use-store.ts): the only kind of state that they share. Without Preact, for scripts without components. */

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
