/**
 * The offline responder: a loopback server with the aggregator's wire format that answers from the plan in the prompt, for a
 * first start without any provider. Every text says so. As a process: `PORT=0 node
 * scripts/self-host/offline-responder/offline-responder.ts` prints `listening http://127.0.0.1:PORT`.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { offlineModelId } from "../../../edge/catalog/model.ts";
import { writeFrames, writeReply } from "./chat-wire.ts";
import { composeAnswer, OfflineRequest } from "./compose-answer.ts";

export type OfflineResponder = { url: string; stop(): Promise<void> };

export type OfflineResponderOptions = {
  /** 0: any free one. */
  port: number;
  /** Pause between the words of a stream. */
  wordDelayMs?: number;
};

const maxBodyBytes = 16 * 1024 * 1024;

const modelList = {
  data: [
    {
      id: offlineModelId,
      name: "svc: offline responder",
      created: 1_764_547_200,
      context_length: 128_000,
      top_provider: { context_length: 128_000, max_completion_tokens: 4_096 },
      pricing: { prompt: "0", completion: "0" },
    },
  ],
};

/** Listens on 127.0.0.1; rejects if the port is taken. */
export async function startOfflineResponder(options: OfflineResponderOptions): Promise<OfflineResponder> {
  const server = createServer((request, response) => {
    answer(request, response, options.wordDelayMs ?? 8).catch(() => response.destroy());
  });
  server.listen(options.port, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  wordDelayMs: number,
): Promise<void> {
  const path = new URL(request.url ?? "/", "http://localhost").pathname.replace(/^\/v1(?=\/)/, "");
  const route = `${request.method} ${path}`;
  if (route === "GET /models") return sendJson(response, 200, modelList);
  if (route === "GET /key")
    return sendJson(response, 200, { data: { label: "offline", usage: 0, limit: null } });
  if (route !== "POST /chat/completions") return sendError(response, 404, `no route for ${route}`);

  const body = await readBody(request);
  if (body === undefined) return sendError(response, 413, "the request is too large");
  const parsed = OfflineRequest.safeParse(parseJson(body));
  if (!parsed.success) return sendError(response, 400, "the request is not a chat completion request");
  const facts = { id: `gen-offline-${randomUUID()}`, created: Math.floor(Date.now() / 1000) };
  const said = composeAnswer(parsed.data);
  if (!parsed.data.stream) return sendJson(response, 200, writeReply(parsed.data, said, facts));

  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  for (const frame of writeFrames(parsed.data, said, facts)) {
    if (response.destroyed) return;
    response.write(frame);
    if (wordDelayMs > 0) await sleep(wordDelayMs);
  }
  response.end();
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sendError(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message: `offline responder: ${message}`, code: status } });
}

if (import.meta.main) {
  const responder = await startOfflineResponder({
    port: Number(process.env.OFFLINE_PORT ?? process.env.PORT ?? 0),
  });
  const stop = () => responder.stop().then(() => process.exit(0));
  process.once("SIGTERM", stop).once("SIGINT", stop);
  // A supervisor holds the other end of stdin: when it is gone, this process ends too.
  if (process.env.SUPERVISED === "1") process.stdin.once("close", stop).resume();
  process.stdout.write(`listening ${responder.url}\n`);
}
