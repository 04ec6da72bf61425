/** The sentence that is shown after a call: one of ours if it has worked, the API's if it was refused. Pure. */
import type { Result } from "./call-api.ts";

export type Said = { kind: "info" | "error"; message: string };

/** @param done the sentence if it has worked; a refusal has the API's own */
export const sayResult = <Value>(answer: Result<Value>, done: (value: Value) => string): Said =>
  answer.ok ? { kind: "info", message: done(answer.value) } : { kind: "error", message: answer.message };
