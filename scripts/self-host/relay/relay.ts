/**
 * The TCP relay between callers and workerd. workerd learns that a caller has left only when it next writes; the relay turns the
 * caller's FIN or RST into a reset of the connection to workerd, which aborts `request.signal` at once. While workerd
 * restarts, callers wait here. It reads no HTTP but the heads of requests (request-head.ts).
 */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { writeOpenaiError } from "../../../edge/dialects/caller/openai/write-error.ts";
import { GatewayError } from "../../../shared/errors.ts";
import { announceClose, asksToContinue, beginsTls, findFault, toOriginForm } from "./request-head.ts";

const loopback = "127.0.0.1";
/** A reset discards unread bytes of an answer, so a closing caller gets this long to read them. */
const lingerMs = 2_000;
const retryMs = 25;

export type Relay = {
  readonly port: number;
  /** The port on which workerd listens; undefined while it restarts (new callers then wait). */
  setTarget(port: number | undefined): void;
  /** Callers connected now. */
  connections(): number;
  /**
   * Opens a connection to workerd and keeps it until the result is called: workerd, once told to end, ends with its last connection,
   * though settlements still run. The connection is a request whose head is never complete, which workerd drops after 15 s.
   */
  keepTarget(): Promise<() => void>;
  /** Refuses new callers and keeps the present ones. */
  stopAccepting(): void;
  /** Cuts the connections that are still open. */
  close(): Promise<void>;
};

/**
 * @param options.port loopback port to listen on; 0 is any free one
 * @param options.targetWaitMs how long a new caller waits for workerd before it gets a 503
 * @throws the listen error (EADDRINUSE) as Node gives it
 */
export async function startRelay({
  port,
  targetWaitMs = 3_000,
}: {
  port: number;
  targetWaitMs?: number;
}): Promise<Relay> {
  const clients = new Set<Socket>();
  let target: number | undefined;
  const server = createServer({ noDelay: true, pauseOnConnect: true, allowHalfOpen: true }, (client) => {
    clients.add(client);
    client.once("close", () => clients.delete(client));
    // Every 'error' is followed by 'close', which is handled.
    client.on("error", ignore);
    connectUpstream(client, () => target, performance.now() + targetWaitMs);
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen({ host: loopback, port, backlog: 4_096 }, listening);
  });
  return {
    port: (server.address() as AddressInfo).port,
    setTarget: (next) => {
      target = next;
    },
    connections: () => clients.size,
    keepTarget: () => openRequest(target),
    stopAccepting: () => server.close(),
    close: async () => {
      const closed = new Promise<void>((done) => (server.listening ? server.close(() => done()) : done()));
      for (const client of clients) client.destroy();
      await closed;
    },
  };
}

async function openRequest(port: number | undefined): Promise<() => void> {
  if (port === undefined) return ignore;
  const socket = connect({ host: loopback, port }).on("error", ignore);
  await new Promise((written) => socket.once("close", written).write("GET /health HTTP/1.1\r\n", written));
  return () => socket.destroy();
}

/** Joins a caller with workerd, trying again every `retryMs` while workerd does not listen; after `deadline` the caller gets a 503. */
function connectUpstream(client: Socket, target: () => number | undefined, deadline: number): void {
  if (client.destroyed) return;
  const retry = () => {
    if (performance.now() >= deadline) refuse(client, restarting);
    else setTimeout(connectUpstream, retryMs, client, target, deadline);
  };
  const port = target();
  if (port === undefined) {
    retry();
    return;
  }
  const upstream = connect({ host: loopback, port, noDelay: true });
  upstream.once("error", retry);
  upstream.once("connect", () => {
    upstream.off("error", retry);
    join(client, upstream);
  });
}

/**
 * Passes bytes both ways. When the caller leaves, the connection to workerd is reset, which aborts the request; when workerd ends its
 * side, the caller still gets all that it wrote.
 */
function join(client: Socket, upstream: Socket): void {
  const leave = () => {
    if (!upstream.destroyed) upstream.resetAndDestroy();
    client.destroy();
  };
  client.on("data", (chunk) => {
    if (asksToContinue(chunk)) client.write(goOn);
  });
  let isLast = false;
  client.once("data", (first) => {
    if (beginsTls(first)) {
      upstream.resetAndDestroy();
      refuse(client, badRequest(wantsHttp));
      return;
    }
    const sent = toOriginForm(first);
    const fault = findFault(sent);
    if (fault !== undefined) {
      upstream.resetAndDestroy();
      refuse(client, badRequest(fault));
      return;
    }
    isLast = sent !== first;
    upstream.write(sent);
    pump(client, upstream);
  });
  pump(upstream, client, (chunk) => {
    if (!isLast) return chunk;
    isLast = false;
    return announceClose(chunk);
  });
  upstream.on("error", () => client.resetAndDestroy());
  upstream.once("end", () => closeSlowly(client, leave));
  client.once("end", leave);
  client.once("close", leave);
  if (client.destroyed) leave();
  else client.resume();
}

/** Written by the relay, since workerd never writes it, and curl waits a second for it before it sends a body. */
const goOn = "HTTP/1.1 100 Continue\r\n\r\n";

/** Copies `from` to `to`, each chunk changed by `change`, and pauses while `to` is full. */
function pump(from: Socket, to: Socket, change = (chunk: Buffer) => chunk): void {
  from.on("data", (chunk) => {
    if (!to.write(change(chunk))) from.pause();
  });
  to.on("drain", () => from.resume());
}

/** workerd has ended the connection: everything it wrote is delivered before the caller's connection is closed. */
function closeSlowly(client: Socket, leave: () => void): void {
  client.removeAllListeners("data");
  client.resume();
  client.end();
  client.once("finish", () => setTimeout(leave, lingerMs).unref());
}

type Refusal = { statusLine: string; error: GatewayError };

const restarting: Refusal = {
  statusLine: "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1",
  error: new GatewayError("service_unavailable", "The service is restarting: try again in a second."),
};
/** No TLS client shows these words, but any bytes end its handshake at once; without them it waits for ten seconds or more. */
const wantsHttp = "This port speaks plain HTTP: write http:// in place of https://.";

const badRequest = (message: string): Refusal => ({
  statusLine: "HTTP/1.1 400 Bad Request",
  error: new GatewayError("invalid_request", message),
});

function refuse(client: Socket, { statusLine, error }: Refusal): void {
  const body = JSON.stringify(writeOpenaiError(error));
  client.end(
    `${statusLine}\r\nContent-Type: application/json\r\nConnection: close\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  client.once("end", () => client.destroy());
  client.resume();
  setTimeout(() => client.destroy(), lingerMs).unref();
}

function ignore(): void {}
