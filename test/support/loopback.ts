/** A server of a test, or of a measurement, on a loopback port. */
import { once } from "node:events";
import { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";

export type Loopback = {
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** Cuts the open connections of an HTTP server; waits until those of another are closed. */
  stop(): Promise<void>;
};

/** Resolves when it listens. @param port 0: any free one */
export async function listenOnLoopback(server: Server, port = 0): Promise<Loopback> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      if (server instanceof HttpServer) server.closeAllConnections();
      await closed;
    },
  };
}
