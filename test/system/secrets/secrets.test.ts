// Canary keys, a prompt and an answer are sent through requests that succeed and fail in every known way, then searched for in every
// response, log line, metric and file. None may be where it does not belong.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Collector, startCollector } from "../../support/collector.ts";
import { type Caller, type Gateway, startGateway } from "../../support/gateway.ts";
import { readFiles } from "../../support/read-files.ts";
import {
  answerCanary,
  behaviours,
  collectorKey,
  keys,
  models,
  payers,
  promptCanary,
  requestBody,
} from "./canaries.ts";

type Heard = { what: string; status: number; headers: string; body: string };

let gateway: Gateway;
let caller: Caller;
let collector: Collector;
const heard: Heard[] = [];

const hear = async (what: string, response: Response): Promise<void> => {
  heard.push({
    what,
    status: response.status,
    headers: JSON.stringify([...response.headers]),
    // A stream that breaks off is heard up to there.
    body: await response.text().catch(() => ""),
  });
};

async function talkToProviders(): Promise<void> {
  for (const [behaviour, script] of behaviours) {
    for (const { kind, key } of payers) gateway.provider.respond(kind, script(kind, key));
    // The pool and a caller's own router key reach the same fake provider, so they take turns.
    for (const [index, group] of [payers.slice(0, 1), payers.slice(1)].entries()) {
      if (index === 0) gateway.provider.respond("router", script("router", keys.pool));
      else gateway.provider.respond("router", script("router", keys.router));
      await Promise.all(
        group.flatMap(({ kind, headers }) =>
          [false, true].map(async (stream) => {
            const response = await caller.chat(requestBody(models[kind], stream), { headers });
            await hear(
              `${kind} ${index === 0 ? "pool" : "own"} ${stream ? "stream" : "JSON"} ${behaviour}`,
              response,
            );
          }),
        ),
      );
    }
  }
}

/** Mistakes that put a secret where it does not belong. */
async function makeMistakes(): Promise<void> {
  const { url } = gateway.service;
  const { apiKey } = caller;
  const json = { "content-type": "application/json" };
  const bearer = { authorization: `Bearer ${apiKey}` };
  const body = JSON.stringify(requestBody(models.alpha, false));
  const chat = "/v1/chat/completions";
  const mistakes: [string, string, RequestInit][] = [
    ["key in the query", `${chat}?api_key=${apiKey}`, { method: "POST", headers: json, body }],
    ["key in an unknown path", `/v1/${apiKey}?key=${keys.alpha}`, { headers: bearer }],
    ["key under another method", `${chat}?key=${keys.beta}`, { headers: bearer }],
    [
      "key as request id",
      chat,
      { method: "POST", headers: { ...json, ...bearer, "x-request-id": apiKey }, body },
    ],
    [
      "mistyped key",
      chat,
      { method: "POST", headers: { ...json, authorization: `Bearer ${apiKey}x` }, body },
    ],
    [
      "key in another scheme",
      chat,
      { method: "POST", headers: { ...json, authorization: `Basic ${apiKey}` }, body },
    ],
    ["broken JSON", chat, { method: "POST", headers: { ...json, ...bearer }, body: body.slice(0, -2) }],
    [
      "prompt of a wrong type",
      chat,
      {
        method: "POST",
        headers: { ...json, ...bearer },
        body: JSON.stringify({ model: models.alpha, messages: promptCanary, api_key: keys.gamma }),
      },
    ],
    [
      "keys as field names",
      chat,
      {
        method: "POST",
        headers: { ...json, ...bearer },
        body: JSON.stringify({
          model: models.alpha,
          messages: [{ role: "user", content: { [keys.gamma]: promptCanary } }],
        }),
      },
    ],
    [
      "key as model",
      chat,
      {
        method: "POST",
        headers: { ...json, ...bearer },
        body: JSON.stringify({ ...requestBody(models.alpha, false), model: apiKey }),
      },
    ],
    [
      "body that is no JSON",
      chat,
      { method: "POST", headers: { ...bearer, "content-type": "text/plain" }, body },
    ],
    [
      "body too large",
      chat,
      { method: "POST", headers: { ...json, ...bearer }, body: promptCanary.repeat(350_000) },
    ],
    [
      "plain http from elsewhere",
      chat,
      {
        method: "POST",
        headers: { ...json, ...bearer, "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "http" },
        body,
      },
    ],
  ];
  for (const [what, path, init] of mistakes) await hear(what, await fetch(url + path, init));
}

async function leaveEarly(): Promise<void> {
  for (const stream of [false, true]) {
    const leaving = new AbortController();
    const onFrame = (index: number) => index === 2 && leaving.abort();
    gateway.provider.respond("router", { text: answerCanary, hangAfter: 3, onFrame });
    await caller
      .chat(requestBody(models.router, stream), { signal: leaving.signal })
      .then((response) => response.text())
      .catch(() => {});
  }
  await caller.untilSettled();
}

beforeAll(async () => {
  collector = await startCollector();
  gateway = await startGateway({
    POOL_ROUTER_KEY: keys.pool,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${collectorKey}`,
  });
  caller = await gateway.newCaller(100_000_000);
  await talkToProviders();
  await makeMistakes();
  await leaveEarly();
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
  await collector?.stop();
});

const secretKeys = () => [...Object.values(keys), collectorKey, caller.apiKey];
const everything = () => [...secretKeys(), promptCanary, answerCanary];
const found = (text: string, canaries: string[]) => canaries.filter((canary) => text.includes(canary));

describe("after every way of success and failure (failures 22)", () => {
  test("the providers were sent their keys in headers only, and answers reached their callers", () => {
    const requests = gateway.provider.chats();
    const sent = new Set(requests.flatMap(({ headers }) => found(JSON.stringify(headers), secretKeys())));
    expect(sent).toEqual(new Set(Object.values(keys)));
    expect(
      requests.filter(({ path, body }) => found(path + JSON.stringify(body), secretKeys()).length > 0),
    ).toEqual([]);
    const answered = heard.filter(({ status, body }) => status === 200 && body.includes("[DONE]"));
    expect(answered.length).toBeGreaterThanOrEqual(payers.length * 2);
  });

  test("no response holds a key, and no error repeats a prompt or an answer", () => {
    const leaks = heard.flatMap(({ what, status, headers, body }) => {
      const wrong = found(headers + body, status >= 400 ? everything() : secretKeys());
      return wrong.length > 0 ? [`${what}: ${status} ${headers} ${body}`] : [];
    });
    expect(leaks).toEqual([]);
  });

  test("every refusal has a request id and a sentence", () => {
    const mute = heard.filter(({ status, headers, body }) => {
      if (status < 400) return false;
      const { error } = JSON.parse(body) as { error: { message: string } };
      return !headers.includes('"x-request-id"') || error.message.length < 20;
    });
    expect(mute).toEqual([]);
  });

  test("no line of the service or of its children holds a key, a prompt or an answer", async () => {
    const log = () => gateway.service.stdout() + gateway.service.stderr();
    // Waits for the log lines of these requests.
    await expect
      .poll(() => log().split('"path":"/v1/chat/completions"').length)
      .toBeGreaterThan(heard.length / 2);
    expect(found(log(), everything())).toEqual([]);
  });

  test("no file of DATA_DIR does: of the API key only its hash is in the database", async () => {
    const files = (await readFiles(gateway.service.dataDir)).filter(
      ([name]) => name !== "demo-key" && name !== "secrets.json",
    );
    const hash = createHash("sha256").update(caller.apiKey).digest("hex");
    expect(files.some(([, text]) => text.includes(hash))).toBe(true);
    expect(
      files.flatMap(([name, text]) => found(text, everything()).map((canary) => `${name}: ${canary}`)),
    ).toEqual([]);
  });

  test("no metric or health report does", async () => {
    const workerUrl = /\[gpu-worker\] listening (\S+)/.exec(gateway.service.stderr())![1]!;
    const edgeUrl = gateway.service.url;
    const pages = [`${workerUrl}/metrics`, `${workerUrl}/health`, `${edgeUrl}/metrics`, `${edgeUrl}/health`];
    for (const url of pages) {
      const text = await (await fetch(url)).text();
      expect(text.length).toBeGreaterThan(50);
      expect(found(text, everything())).toEqual([]);
    }
  });

  test("no span does, of any request, whatever became of it", async () => {
    const seen = () => collector.posts.join("\n");
    const outcomes = ["completed", "error", "client_left"].map((outcome) => `{"stringValue":"${outcome}"}`);
    await expect
      .poll(() => outcomes.filter((outcome) => !seen().includes(outcome)), { timeout: 15_000 })
      .toEqual([]);
    for (const name of ["POST /v1/chat/completions", "plan", "hold", "settle", "chat gpt-4o", "other"]) {
      expect(seen()).toContain(`"name":"${name}"`);
    }
    expect(found(seen(), everything())).toEqual([]);
    expect(collector.authorizations).toEqual(new Set([collectorKey]));
  });
});
