/**
 * A table whose keys come from a request or from another server. It has no prototype: in an object literal `constructor` and `__proto__`
 * would be found.
 */
export const createTable = <Value>(rows: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.assign(Object.create(null), rows);
