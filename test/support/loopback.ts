/** A server of a test, or of a measurement, on a loopback port. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

export type Loopback = {
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** Also cuts the connections that are open. */
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
      server.closeAllConnections();
      await closed;
    },
  };
}
