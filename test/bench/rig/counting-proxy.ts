/** An HTTP server in front of another one, which reports each request that passes: for counting, not for timing. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type Loopback, listenOnLoopback } from "../../support/loopback.ts";

/** Passes all requests on to `target`, and calls `onRequest` before each. */
export function startCountingProxy(target: string, onRequest: () => void): Promise<Loopback> {
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
  return listenOnLoopback(createServer(pass));
}
