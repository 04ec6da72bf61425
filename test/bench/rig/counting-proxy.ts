/** An HTTP server before another one, which says when a request passes: for counting, not for timing. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type CountingProxy = { url: string; stop(): Promise<void> };

/** Everything goes on to `target`; `onRequest` is told of each before it does. */
export async function startCountingProxy(target: string, onRequest: () => void): Promise<CountingProxy> {
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    onRequest();
    const { method, headers, url = "/" } = incoming;
    const onward = request(new URL(url, target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  };
  const server = createServer(pass);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
