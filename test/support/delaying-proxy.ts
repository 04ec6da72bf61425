/** A TCP proxy that delays every piece in both directions, or drops answers: it stands for a distant server, or a broken connection. */
import { connect, createServer, type Socket } from "node:net";
import { listenOnLoopback } from "./loopback.ts";

export type DelayingProxy = {
  url: string;
  /** While it is set, what the server answers to pieces that contain this text is lost ("" is in all). */
  losesAnswersTo: string | undefined;
  /** Pieces of answers that were lost so far. */
  lost: number;
  stop(): Promise<void>;
};

/** `delayMs` one way. A connection opens at once: only what is sent on it waits, in order. */
export async function startDelayingProxy(target: string, delayMs: number): Promise<DelayingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const forward = (from: Socket, to: Socket, passes: (piece: Buffer) => boolean) => {
    sockets.add(from);
    from.setNoDelay(true);
    from.on("data", (piece) => setTimeout(() => to.writable && passes(piece) && to.write(piece), delayMs));
    from.on("end", () => setTimeout(() => to.end(), delayMs));
    from.on("error", () => to.destroy());
    from.on("close", () => sockets.delete(from));
  };
  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    const onward = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    let isLost = false;
    forward(incoming, onward, (piece) => {
      isLost = proxy.losesAnswersTo !== undefined && piece.includes(proxy.losesAnswersTo);
      return true;
    });
    forward(onward, incoming, () => {
      if (isLost) proxy.lost += 1;
      return !isLost;
    });
  });
  const { url, stop } = await listenOnLoopback(server);
  const proxy: DelayingProxy = {
    url,
    losesAnswersTo: undefined,
    lost: 0,
    stop: () => {
      const stopped = stop();
      for (const socket of sockets) socket.destroy();
      return stopped;
    },
  };
  return proxy;
}
