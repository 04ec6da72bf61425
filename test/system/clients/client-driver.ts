/** One official client as the tests drive it: the same questions to each, answered in its own idiom. */

export type Target = {
  /** `…/v1` */
  baseUrl: string;
  apiKey: string;
  /** Of the service, `svc-x1ac-…`. */
  model: string;
  /** The caller's own provider key, if any. */
  headers: Record<string, string>;
  /** Retries of the client's own, 0 by default. */
  maxRetries?: number;
};

/** What the client understood of an answer. */
export type ClientAnswer = {
  text: string;
  /** Undefined where the client has no place for it. */
  reasoning?: string | undefined;
  finish: string;
  calls: { name: string; arguments: unknown }[];
  usage: { input: number; output: number; total: number; cached: number; reasoning: number };
};

/** What the client threw, in fields every client of a kind documents. */
export type ClientFailure = {
  /** Name of the error's class. */
  className: string;
  status: number | undefined;
  message: string;
  /** The body's `error` object, as far as the client hands it out. */
  error: Record<string, unknown>;
  retryAfter: string | undefined;
};

export type ClientDriver = {
  name: string;
  /** What this client calls the two ordinary endings. */
  finishes: { stop: string; toolCalls: string };
  ask(target: Target, stream: boolean): Promise<ClientAnswer>;
  /** Offers the tools, runs those called, sends all results back: the text of the last answer. */
  runTools(target: Target, stream: boolean): Promise<string>;
  /** Asks with a temperature of 7, which is out of range, when `invalid`. */
  fail(target: Target, options?: { stream?: boolean; invalid?: boolean }): Promise<ClientFailure>;
  /** Starts a request and settles, with the client's own error if it has one, once `signal` has ended it. */
  leave(target: Target, stream: boolean, signal: AbortSignal, onText: () => void): Promise<unknown>;
};

export const question = "What is the weather in Zürich and in Bern?";

/** The tool's result names the city, so that tests can tell the results of two calls apart. */
export const weatherTool = {
  name: "get_weather",
  description: "Weather of a city",
  run: ({ city }: { city: string }) => ({ city, sky: "clear" }),
};

/** The error a promise is rejected with. @throws Error when it is not */
export async function rejection(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("the client reported no error");
}
