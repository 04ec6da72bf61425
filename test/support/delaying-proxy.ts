/** A TCP proxy that holds back every piece for a while, in both directions: a server that is far away. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type DelayingProxy = { url: string; stop(): Promise<void> };

/** `delayMs` one way. A connection opens at once: only what is sent on it waits, in order. */
export async function startDelayingProxy(target: string, delayMs: number): Promise<DelayingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.setNoDelay(true);
    from.on("data", (piece) => setTimeout(() => to.writable && to.write(piece), delayMs));
    from.on("end", () => setTimeout(() => to.end(), delayMs));
    from.on("error", () => to.destroy());
    from.on("close", () => sockets.delete(from));
  };
  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    const onward = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    forward(incoming, onward);
    forward(onward, incoming);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
