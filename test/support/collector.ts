/** A collector of traces that keeps what it is sent: OTLP over HTTP as JSON, on a free loopback port. */
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { type Loopback, listenOnLoopback } from "./loopback.ts";

/** `url`: for OTEL_EXPORTER_OTLP_ENDPOINT. */
export type Collector = Loopback & {
  /** Bodies, as they came. */
  posts: string[];
  authorizations: Set<string | undefined>;
};

export async function startCollector(): Promise<Collector> {
  const posts: string[] = [];
  const authorizations = new Set<string | undefined>();
  const server = createServer(async (request, response) => {
    authorizations.add(request.headers.authorization);
    if (request.method === "POST" && request.url === "/v1/traces") posts.push(await text(request));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  return { ...(await listenOnLoopback(server)), posts, authorizations };
}
