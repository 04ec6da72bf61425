/** One request in either caller's dialect, answered by a slow provider. */
import { createTestApp, eventStream, newCaller, type TestAppOptions } from "./app.ts";

export const pooled = "svc-x1ac-base-gpt-4o";

export const messages = [{ role: "user", content: "find me a flight to Oslo" }];
const paths = { openai: "/v1/chat/completions", anthropic: "/v1/messages" } as const;
export type CallerDialect = keyof typeof paths;

export type Asked = {
  dialect?: CallerDialect;
  model?: string;
  headers?: Record<string, string>;
  fields?: object;
};

export async function ask(options: TestAppOptions, asked: Asked = {}) {
  const { dialect = "openai", model = pooled, headers = {}, fields = { stream: true } } = asked;
  const caller = await newCaller(1_000_000);
  const app = createTestApp(options);
  const response = await app.post(
    paths[dialect],
    caller.apiKey,
    { model, messages, max_tokens: 50, ...fields },
    headers,
  );
  return { response, caller, ...app };
}

export const readData = async (response: Response): Promise<Record<string, unknown>[]> =>
  [...(await response.text()).matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data!));

/** A stream that comes in these pieces, a moment between them. */
export function slowly(pieces: readonly (string | Uint8Array)[], pauseMs = 0): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const write = async () => {
    const writer = writable.getWriter();
    const encoder = new TextEncoder();
    for (const piece of pieces) {
      await writer.write(typeof piece === "string" ? encoder.encode(piece) : piece);
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    await writer.close();
  };
  // A reader that has heard enough cancels; that is no failure of the writer.
  write().catch(() => {});
  return eventStream(readable);
}
