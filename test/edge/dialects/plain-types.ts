/** For comparing what we read and write with the types of official clients. */

/** Interfaces as plain object types, so that they fit an index signature. */
export type Plain<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer U)[]
    ? Plain<U>[]
    : { [K in keyof T]: Plain<T[K]> };
