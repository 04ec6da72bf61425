/**
 * The four outside providers in one loopback server, programmable per test: wire formats under /alpha,
 * /beta, /gamma and /router. Records what it is sent and when a client leaves early.
 * As a process (for benchmarks): `node test/support/fake-provider.ts '{"alpha":{"text":"…"}}'` prints
 * `listening http://127.0.0.1:PORT` and answers by the scripts given, recording nothing.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type ProviderKind, providerKinds } from "../../shared/providers.ts";
import { betaWire } from "./fake-provider/anthropic-wire.ts";
import { gammaWire } from "./fake-provider/gemini-wire.ts";
import { alphaWire, routerWire } from "./fake-provider/openai-wire.ts";
import type { FakeScript, FakeWires } from "./fake-provider/script.ts";
import { sendScript } from "./fake-provider/send.ts";
import { listenOnLoopback } from "./loopback.ts";

export type { FakeScript } from "./fake-provider/script.ts";

/** `chat`: the generating call; `models`: GET /models; of the router `key`: GET /key, `generation`: GET /generation; `count`: beta's counter. */
type FakeEndpoint = "chat" | "models" | "key" | "generation" | "count";

export type FakeRequest = {
  kind: ProviderKind;
  endpoint: FakeEndpoint | "unknown";
  method: string;
  /** Below the provider's base URL, query included. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Parsed JSON; the text itself where it is none; undefined without a body. */
  body: unknown;
  receivedAtMs: number;
  /** The client closed the connection before the answer was complete. */
  closedEarly: boolean;
  /** When it did (Date.now()). */
  closedAtMs?: number;
};

type FakeReply = FakeScript | ((request: FakeRequest) => FakeScript);

export type FakeProvider = {
  /** Base URL of one kind, for ALPHA_BASE_URL and its like. */
  url(kind: ProviderKind): string;
  /** Newest last; at most 2,000 are kept. */
  readonly requests: FakeRequest[];
  /** The generating calls among them, of one kind where it is named. */
  chats(kind?: ProviderKind): FakeRequest[];
  /** Sets the reply from now on. Of a list each reply answers one request, and the last one all further requests. */
  respond(kind: ProviderKind, reply: FakeReply | FakeReply[], endpoint?: FakeEndpoint): void;
  /** Answers with recorded JSON events, wrapped as that provider's SSE. */
  replay(kind: ProviderKind, jsonLines: readonly string[], script?: FakeScript): void;
  /** The first request, made or to come, that fits; rejects after `timeoutMs` (15,000, as `expect.poll`). */
  waitFor(fits: (request: FakeRequest) => boolean, timeoutMs?: number): Promise<FakeRequest>;
  /** TCP connections open to it now. */
  connections(): Promise<number>;
  /** Forgets requests and scripts. */
  reset(): void;
  stop(): Promise<void>;
};

export const wires: FakeWires = { alpha: alphaWire, beta: betaWire, gamma: gammaWire, router: routerWire };

const keptRequests = 2_000;
const maxBodyBytes = 64 * 1024 * 1024;
const defaultReply: FakeScript = {};
const keyBody = { data: { label: "sk-or-v1-fa...ke", usage: 0, limit: null, is_free_tier: false } };

const chatPaths: Readonly<Record<ProviderKind, RegExp>> = {
  alpha: /^\/chat\/completions$/,
  beta: /^\/messages$/,
  gamma: /^\/models\/[^/]+:(?:streamGenerateContent|generateContent)$/,
  router: /^\/chat\/completions$/,
};

/** `record: false` keeps no requests: for benchmarks. */
export async function startFakeProvider({ record = true, port = 0 } = {}): Promise<FakeProvider> {
  const requests: FakeRequest[] = [];
  const replies = new Map<string, FakeReply[]>();
  const stopping = new AbortController();

  const chooseReply = (request: FakeRequest): FakeScript => {
    const queue = replies.get(`${request.kind} ${request.endpoint}`) ?? [];
    const reply = (queue.length > 1 ? queue.shift() : queue[0]) ?? writeDefault(request);
    return typeof reply === "function" ? reply(request) : reply;
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await readRequest(incoming);
    if (!request) return void response.writeHead(404).end();
    if (record && requests.push(request) > keptRequests) requests.shift();
    let cutHere = false;
    response.once("close", () => {
      if (response.writableFinished || cutHere || stopping.signal.aborted) return;
      request.closedEarly = true;
      request.closedAtMs = Date.now();
    });
    const cut = () => {
      cutHere = true;
      response.destroy();
    };
    const options = { wire: wires[request.kind], ...readMode(request), signal: stopping.signal, cut };
    await sendScript(response, chooseReply(request), options);
  };
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      // A script that cannot be written is a mistake of the test: it gets the reason as the answer.
      if (response.headersSent || stopping.signal.aborted) response.destroy();
      else response.writeHead(500).end(`fake provider: ${String(error)}`);
    });
  });
  server.keepAliveTimeout = 30_000;
  const listening = await listenOnLoopback(server, port);

  const respond: FakeProvider["respond"] = (kind, reply, endpoint = "chat") => {
    replies.set(`${kind} ${endpoint}`, [reply].flat());
  };
  return {
    url: (kind) => `${listening.url}/${kind}`,
    requests,
    chats: (kind) =>
      requests.filter((request) => request.endpoint === "chat" && (kind ?? request.kind) === request.kind),
    respond,
    replay: (kind, jsonLines, script = {}) =>
      respond(kind, { ...script, frames: wires[kind].writeReplay(jsonLines) }),
    waitFor: (fits, timeoutMs = 15_000) => waitFor(requests, fits, timeoutMs),
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    reset: () => {
      requests.length = 0;
      replies.clear();
    },
    stop: () => {
      stopping.abort();
      return listening.stop();
    },
  };
}

function writeDefault({ kind, endpoint, method, path }: FakeRequest): FakeScript {
  if (endpoint === "models") return { json: wires[kind].writeModels() };
  if (endpoint === "key") return { json: keyBody };
  if (endpoint === "count") return { json: { input_tokens: 42 } };
  if (endpoint === "generation") return { status: 404 };
  return endpoint === "chat"
    ? defaultReply
    : { status: 404, text: `fake provider: no route ${method} ${path}` };
}

/** What the request asks for: a stream, and its usage. Gemini says so in the path. */
function readMode({ body, path }: FakeRequest): { stream: boolean; includeUsage: boolean } {
  if (typeof body !== "object" || body === null) return { stream: false, includeUsage: false };
  const { stream, stream_options: options } = body as {
    stream?: unknown;
    stream_options?: { include_usage?: unknown };
  };
  return {
    stream: stream === true || path.includes(":streamGenerateContent"),
    includeUsage: options?.include_usage === true,
  };
}

async function readRequest(incoming: IncomingMessage): Promise<FakeRequest | undefined> {
  const [, kindText, path = "/"] = /^\/([a-z]+)(\/.*)?$/.exec(incoming.url ?? "") ?? [];
  const kind = providerKinds.find((known) => known === kindText);
  if (!kind) return undefined;
  const { method = "GET", headers } = incoming;
  const text = await readText(incoming);
  const endpoint = readEndpoint(kind, method, path.replace(/\?.*$/, ""));
  return {
    kind,
    endpoint,
    method,
    path,
    headers,
    body: parseBody(text),
    receivedAtMs: Date.now(),
    closedEarly: false,
  };
}

function readEndpoint(kind: ProviderKind, method: string, path: string): FakeRequest["endpoint"] {
  if (method === "POST" && chatPaths[kind].test(path)) return "chat";
  if (method === "POST" && kind === "beta" && path === "/messages/count_tokens") return "count";
  if (method === "GET" && path === "/models") return "models";
  if (method !== "GET" || kind !== "router") return "unknown";
  return path === "/key" ? "key" : path === "/generation" ? "generation" : "unknown";
}

function readText(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > maxBodyBytes) reject(new Error("request too large"));
      else chunks.push(chunk);
    });
    incoming.once("end", () =>
      resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()),
    );
    incoming.once("error", reject);
  });
}

function parseBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function waitFor(requests: FakeRequest[], fits: (request: FakeRequest) => boolean, timeoutMs: number) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = requests.find(fits);
    if (found) return found;
    if (Date.now() > deadline)
      throw new Error(`no such request within ${timeoutMs} ms (${requests.length} seen)`);
    await sleep(5);
  }
}

if (import.meta.main) {
  const provider = await startFakeProvider({ record: false });
  const scripts = JSON.parse(process.argv[2] ?? "{}") as Partial<Record<ProviderKind, FakeScript>>;
  for (const kind of providerKinds) if (scripts[kind]) provider.respond(kind, scripts[kind]);
  process.once("SIGTERM", () => void provider.stop());
  process.stdout.write(`listening ${provider.url("alpha").replace(/\/alpha$/, "")}\n`);
}
