/**
 * Thousands of streams, each over a bare socket: an HTTP client would take more of the machine than the service does. They are read, and
 * left after a random time. The caller decides how many are opened at once.
 */
import { connect } from "node:net";
import type { Call } from "../client.ts";

export type Crowd = {
  readonly open: number;
  /** How many were answered with another status than 200, by its number, or were cut before it. */
  readonly refused: ReadonlyMap<string, number>;
  /** How many were read to their last byte. */
  readonly ended: number;
  /** Pieces read, of all streams. */
  readonly pieces: number;
  /** Milliseconds to the first byte of those opened since `forgetTimes`. */
  readonly firstBytes: readonly number[];
  forgetTimes(): void;
  /** One more; resolves with its first byte, or when it is refused. */
  join(): Promise<void>;
  /** Opens streams, so many at once, until `count` are open or the time is over. */
  fill(count: number, atOnce: number, maxMs: number): Promise<void>;
  /** From now on a new stream is opened for each that ends. */
  replaceLeavers(): void;
  leaveAll(): Promise<void>;
};

const retryMs = 1_000;
const lastChunk = "0\r\n\r\n";

function writeRequest({ url, headers, body }: Call): string {
  const { host, pathname } = new URL(url);
  const text = body();
  const fields = { host, ...headers, "content-length": String(Buffer.byteLength(text)) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}

/** @param meanLifeMs of a stream; lives are distributed exponentially */
export function createCrowd(call: Call, meanLifeMs: number): Crowd {
  const { hostname, port } = new URL(call.url);
  const leavers = new Set<() => void>();
  const state = { open: 0, ended: 0, pieces: 0, firstBytes: [] as number[], replaces: false };
  const refused = new Map<string, number>();

  const join = (): Promise<void> => {
    const arrived = Promise.withResolvers<void>();
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }).setEncoding("latin1");
    const startedAt = performance.now();
    let isOpen = false;
    let refusal = "cut";
    const leave = () => void socket.destroy();
    leavers.add(leave);
    const life = setTimeout(leave, -Math.log(1 - Math.random()) * meanLifeMs);
    socket.write(writeRequest(call));
    socket.on("data", (text: unknown) => {
      const piece = String(text);
      if (!isOpen && !piece.startsWith("HTTP/1.1 200")) {
        refusal = piece.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length);
        return leave();
      }
      if (!isOpen) state.firstBytes.push(performance.now() - startedAt);
      state.open += isOpen ? 0 : 1;
      isOpen = true;
      state.pieces += 1;
      arrived.resolve();
      if (!piece.endsWith(lastChunk)) return;
      state.ended += 1;
      leave();
    });
    // Every 'error' is followed by 'close', which is handled.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      clearTimeout(life);
      leavers.delete(leave);
      if (isOpen) state.open -= 1;
      else refused.set(refusal, (refused.get(refusal) ?? 0) + 1);
      arrived.resolve();
      if (state.replaces) setTimeout(() => state.replaces && join(), isOpen ? 0 : retryMs);
    });
    return arrived.promise;
  };

  return Object.assign(state, {
    refused,
    join,
    forgetTimes: () => {
      state.firstBytes = [];
    },
    async fill(count: number, atOnce: number, maxMs: number) {
      const endAt = performance.now() + maxMs;
      let onTheWay = 0;
      const opener = async () => {
        while (state.open + onTheWay < count && performance.now() < endAt) {
          onTheWay += 1;
          await join();
          onTheWay -= 1;
        }
      };
      await Promise.all(Array.from({ length: atOnce }, opener));
    },
    replaceLeavers: () => {
      state.replaces = true;
    },
    async leaveAll() {
      state.replaces = false;
      for (const leave of leavers) leave();
      while (leavers.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    },
  });
}
