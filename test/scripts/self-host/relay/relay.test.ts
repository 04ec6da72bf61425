import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { type Relay, startRelay } from "../../../../scripts/self-host/relay/relay.ts";
import { least } from "../../../support/least-ms.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listen(
  onSocket: (socket: Socket) => void,
): Promise<{ server: Server; port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    onSocket(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port, sockets };
}

async function relayTo(port: number | undefined, targetWaitMs?: number): Promise<Relay> {
  const relay = await startRelay({ port: 0, ...(targetWaitMs !== undefined && { targetWaitMs }) });
  relay.setTarget(port);
  cleanups.push(() => relay.close());
  return relay;
}

async function dial(relay: Relay): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: relay.port, noDelay: true, allowHalfOpen: true });
  socket.on("error", () => undefined);
  cleanups.push(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

async function readAll(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text;
}

const echo = (socket: Socket) => socket.pipe(socket);

describe("bytes", () => {
  test("arrive unchanged in both directions, however they are cut", async () => {
    const { port } = await listen(echo);
    const relay = await relayTo(port);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 5_000 }), { minLength: 1, maxLength: 8 }),
        async (chunks) => {
          const socket = await dial(relay);
          const sent = Buffer.concat(chunks);
          for (const chunk of chunks) socket.write(chunk);
          const received: Buffer[] = [];
          let length = 0;
          for await (const chunk of socket) {
            received.push(chunk);
            length += chunk.length;
            if (length >= sent.length) break;
          }
          expect(Buffer.concat(received).equals(sent)).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("of a large answer wait for a caller that reads slowly, and none is lost", async () => {
    const body = randomBytes(16 * 1024 * 1024);
    const { port, sockets } = await listen((socket) => socket.once("data", () => socket.end(body)));
    const relay = await relayTo(port);
    const socket = await dial(relay);
    socket.write("go");
    socket.pause();
    // The buffers between hold less than the answer: waits until what is left at the sender no longer shrinks.
    let before = 0;
    const waits = () => {
      const [last, now] = [before, sockets[0]?.writableLength ?? 0];
      before = now;
      return now > 0 && now === last;
    };
    await expect.poll(waits, { interval: 100 }).toBe(true);
    const hash = createHash("sha256");
    for await (const chunk of socket) hash.update(chunk);
    expect(hash.digest("hex")).toBe(createHash("sha256").update(body).digest("hex"));
  });

  test("the end of an answer arrives as an end, after its last byte", async () => {
    const { port } = await listen((socket) => socket.once("data", () => socket.end("answer")));
    const socket = await dial(await relayTo(port));
    socket.write("question");
    expect(await readAll(socket)).toBe("answer");
  });
});

describe("a caller that leaves", () => {
  const departures: [string, (socket: Socket) => void][] = [
    ["closes", (socket) => socket.end()],
    ["resets", (socket) => socket.resetAndDestroy()],
    ["is destroyed", (socket) => socket.destroy()],
  ];
  test.each(departures)("and %s resets the connection to workerd at once", async (_, depart) => {
    const leaveOnce = async (): Promise<number> => {
      const { port, sockets } = await listen((socket) => socket.resume());
      const socket = await dial(await relayTo(port));
      socket.write("a request that is never answered");
      await expect.poll(() => sockets[0]?.bytesRead).toBeGreaterThan(0);
      const failed = once(sockets[0]!, "error");
      const leftAt = performance.now();
      depart(socket);
      const [error] = await failed;
      expect(error.code).toBe("ECONNRESET");
      return performance.now() - leftAt;
    };
    expect(await least(2_000, leaveOnce)).toBeLessThan(2_000);
  });

  test("in the middle of an answer resets it too", async () => {
    const { port, sockets } = await listen((socket) => {
      const timer = setInterval(() => socket.write("data: token\n\n"), 5);
      socket.once("close", () => clearInterval(timer));
    });
    const socket = await dial(await relayTo(port));
    await once(socket, "data");
    const failed = once(sockets[0]!, "error");
    socket.end();
    expect((await failed)[0].code).toBe("ECONNRESET");
  });
});

describe("workerd's side", () => {
  test("that breaks off breaks the caller's connection off, so that a cut answer is not taken for a whole one", async () => {
    const { port } = await listen((socket) =>
      socket.once("data", () => socket.write("half an ans", () => socket.resetAndDestroy())),
    );
    const socket = await dial(await relayTo(port));
    const failed = once(socket, "error");
    socket.resume();
    socket.write("go");
    expect((await failed)[0].code).toBe("ECONNRESET");
  });

  test("that is away for a moment makes new callers wait, not fail", async () => {
    const { port } = await listen(echo);
    const relay = await relayTo(undefined, 60_000);
    const socket = await dial(relay);
    socket.write("early");
    await sleep(100);
    relay.setTarget(port);
    expect(String((await once(socket, "data"))[0])).toBe("early");
  });

  test("that stays away gives a 503 in the error format of the service", async () => {
    const socket = await dial(await relayTo(undefined, 50));
    socket.write("GET / HTTP/1.1\r\n\r\n");
    const [head, body] = (await readAll(socket)).split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 503 /);
    expect(head).toContain(`Content-Length: ${body!.length}`);
    expect(JSON.parse(body!).error).toMatchObject({ type: "service_error", code: "service_unavailable" });
  });

  test("that refuses connections counts as away", async () => {
    const { server, port } = await listen(echo);
    server.close();
    await once(server, "close");
    const socket = await dial(await relayTo(port, 50));
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 503 /);
  });
});

test("a thousand callers at once are all served and all forgotten afterwards", async () => {
  const { port } = await listen(echo);
  const relay = await relayTo(port);
  const sockets = await Promise.all(Array.from({ length: 1_000 }, () => dial(relay)));
  const answers = await Promise.all(
    sockets.map(async (socket, index) => {
      socket.write(`caller ${index}`);
      return String((await once(socket, "data"))[0]);
    }),
  );
  expect(answers).toEqual(sockets.map((_, index) => `caller ${index}`));
  expect(relay.connections()).toBe(1_000);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => relay.connections()).toBe(0);
});

test("a caller who is cut off before workerd has answered the call leaves no connection to it behind", async () => {
  const { port, sockets } = await listen((socket) => socket.resume());
  const relay = await relayTo(port);
  await dial(relay);
  // The call to workerd has begun in this turn of the event loop, and is answered in a later one.
  while (relay.connections() === 0) await new Promise(setImmediate);
  await relay.close();
  await expect.poll(() => sockets.map(({ closed }) => closed)).toEqual([true]);
});

test("a port that is taken is reported as the system reports it", async () => {
  const { port } = await listen(echo);
  await expect(startRelay({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

describe("a client that asks before it sends its body", () => {
  const head = (more: string) => `POST /v1/messages HTTP/1.1\r\nHost: x\r\n${more}Content-Length: 4\r\n\r\n`;

  test("is told to go on at once, and its head reaches workerd as it was", async () => {
    const { port } = await listen((socket) => {
      socket.on("data", (chunk) => {
        if (String(chunk).endsWith("body")) socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      });
    });
    const socket = await dial(await relayTo(port));
    socket.write(head("Expect: 100-continue\r\n"));
    const [first] = await once(socket, "data");
    expect(String(first)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write("body");
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});

test("a client that speaks TLS fails its handshake at once, where silence would keep it waiting", async () => {
  const { port, sockets } = await listen(() => {});
  const relay = await relayTo(port);
  const failure = await new Promise<Error>((failed) =>
    connectTls({ host: "127.0.0.1", port: relay.port }).once("error", failed),
  );
  expect((failure as NodeJS.ErrnoException).code).toMatch(/WRONG_VERSION_NUMBER|PACKET_LENGTH/);
  await expect.poll(() => sockets.every(({ closed }) => closed)).toBe(true);
});

test("a head that workerd would answer 500 is refused as what it is, a caller's mistake", async () => {
  const { port, sockets } = await listen(echo);
  const socket = await dial(await relayTo(port));
  socket.write("POST /v1/messages HTTP/1.1\r\nHost: a\r\nContent-Length: abc\r\n\r\n{}");
  const answer = await readAll(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toMatch(/"message":"The header Content-Length [^"]+","type":"invalid_request_error"/);
  await expect.poll(() => sockets.every(({ closed }) => closed)).toBe(true);
});

describe("a request for a whole URL", () => {
  test("reaches workerd as a request for its path, alone on its connection", async () => {
    let received = "";
    const { port } = await listen((socket) =>
      socket.once("data", (chunk) => {
        received = String(chunk);
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      }),
    );
    const socket = await dial(await relayTo(port));
    socket.write("POST http://svc.example/v1/x?y=1 HTTP/1.1\r\nHost: other\r\nContent-Length: 4\r\n\r\nbody");
    expect(await readAll(socket)).toBe("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
    expect(received).toBe(
      "POST /v1/x?y=1 HTTP/1.1\r\nHost: svc.example\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody",
    );
  });

  test("is a body when it comes later on a connection", async () => {
    const { port } = await listen(echo);
    const socket = await dial(await relayTo(port));
    const line = "GET http://svc.example/ HTTP/1.1\r\n\r\n";
    socket.write("POST / HTTP/1.1\r\n\r\n");
    await once(socket, "data");
    socket.write(line);
    expect(String((await once(socket, "data"))[0])).toBe(line);
  });
});
