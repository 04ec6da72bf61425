/** A request to a provider that hangs or ends as told, until it is charged. */
import { expect } from "vitest";
import { createTestApp, eventStream, newCaller, type Sent } from "./app.ts";

const model = "svc-x1ac-base-gpt-4o";
export const hello = { model, messages: [{ role: "user", content: "hi" }], max_tokens: 6_000 };
export const streamed = { ...hello, stream: true };

export const credit = 100_000_000;

export const encoder = new TextEncoder();

export const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** An answer that gives these frames and then hangs until it is aborted, as fetch does. */
export const hanging =
  (...frames: string[]) =>
  ({ signal }: Sent) => {
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = frames[at++];
        if (next !== undefined) return controller.enqueue(encoder.encode(next));
        return new Promise<void>((_, reject) => {
          const abort = () => reject(new Error("aborted"));
          if (signal?.aborted) abort();
          else signal?.addEventListener("abort", abort);
        });
      },
    });
    return eventStream(body);
  };

export type Options = NonNullable<Parameters<typeof createTestApp>[0]>;

export async function open(options: Options, body: object, headers: Record<string, string> = {}) {
  const caller = await newCaller(credit);
  const app = createTestApp(options);
  const leaving = new AbortController();
  const response = await app.chat(caller.apiKey, body, headers, leaving.signal);
  const leave = async () => {
    leaving.abort();
    await response.body?.cancel().catch(() => {});
    await response.settled();
  };
  const charge = async () => {
    const charges = await caller.charges();
    expect(charges).toHaveLength(1);
    return charges[0]!;
  };
  return { ...app, caller, response, leave, charge };
}
