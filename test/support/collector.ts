/** A collector of traces that keeps what it is sent: OTLP over HTTP as JSON, on a free loopback port. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export type Collector = {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  /** Bodies, as they came. */
  posts: string[];
  authorizations: Set<string | undefined>;
  stop(): Promise<void>;
};

export async function startCollector(): Promise<Collector> {
  const posts: string[] = [];
  const authorizations = new Set<string | undefined>();
  const server = createServer(async (request, response) => {
    authorizations.add(request.headers.authorization);
    if (request.method === "POST" && request.url === "/v1/traces") posts.push(await text(request));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    authorizations,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
