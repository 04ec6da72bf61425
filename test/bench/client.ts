/** The measuring client: plain undici over kept-alive connections, the same for the service and the provider. */
import { Agent, type Dispatcher } from "undici";

export type Call = {
  url: string;
  headers: Record<string, string>;
  /** Written anew for each call, before its time begins. */
  body: () => string;
};

/** Times of one call, milliseconds from its start. For a JSON answer both are when its body was complete. */
export type CallTimes = { firstByteMs: number; totalMs: number };

export type Client = {
  /** Sends, reads to the end. Throws for a status other than 200, quoting the body. */
  call(call: Call): Promise<CallTimes>;
  /** Opens a stream, resolves at its first byte, and reads no further. `signal` closes it. */
  open(call: Call, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

/** `connections` to each origin at most. */
export function createClient(connections: number): Client {
  const dispatcher = new Agent({ connections, pipelining: 1, keepAliveTimeout: 60_000, bodyTimeout: 0 });
  const send = async ({ url, headers }: Call, body: string, signal?: AbortSignal) => {
    const { origin, pathname } = new URL(url);
    const options: Dispatcher.RequestOptions = { origin, path: pathname, method: "POST", headers, body };
    const response = await dispatcher.request({ ...options, ...(signal && { signal }) });
    if (response.statusCode === 200) return response.body;
    throw new Error(
      `${pathname} answered ${response.statusCode}: ${(await response.body.text()).slice(0, 300)}`,
    );
  };
  return {
    async call(call) {
      const text = call.body();
      const startedAt = performance.now();
      const body = await send(call, text);
      let firstByteMs = 0;
      for await (const _chunk of body) firstByteMs ||= performance.now() - startedAt;
      return { firstByteMs, totalMs: performance.now() - startedAt };
    },
    async open(call, signal) {
      const body = await send(call, call.body(), signal);
      body.on("error", () => undefined);
      await new Promise<void>((arrived) => body.once("data", () => arrived()));
      body.pause();
    },
    close: () => dispatcher.destroy(),
  };
}
