// GET /openapi.json against itself and against the service: a linter finds nothing, each example is what its schema says, and
// what every endpoint really answers, refusals and streams too, has no field and no status that the document does not name.
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import {
  type Answer,
  createJudge,
  type Judge,
  listExamples,
  type OpenapiDocument,
  placeOf,
  readEvents,
} from "../../support/openapi.ts";
import { type Asked, asked } from "./asked.ts";

const json = "application/json";

let gateway: Gateway;
let document: OpenapiDocument;
let judge: Judge;
let keys: Record<NonNullable<Asked["key"]>, Record<string, string>>;

beforeAll(async () => {
  gateway = await startGateway();
  document = (await (await fetch(`${gateway.service.url}/openapi.json`)).json()) as OpenapiDocument;
  judge = createJudge(document);
  const { apiKey } = await gateway.newCaller(1_000_000);
  const { demoKey } = gateway.service;
  keys = {
    manage: { authorization: `Bearer ${demoKey}` },
    plain: { "x-api-key": apiKey },
    wrong: { authorization: "Bearer svc_sk_live_wrong" },
    none: {},
    bare: { authorization: demoKey },
  };
});
afterAll(() => gateway?.stop());

async function send({ path, url, method = "GET", body, headers, key = "manage", ...scripts }: Asked) {
  gateway.provider.reset();
  if (scripts.provider !== undefined) gateway.provider.respond("router", scripts.provider);
  if (scripts.counter !== undefined) gateway.provider.respond("beta", scripts.counter, "count");
  const response = await fetch(gateway.service.url + (url ?? path), {
    method,
    headers: { "content-type": "application/json", ...keys[key], ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    response,
    type: response.headers.get("content-type")!.split(";")[0]!,
    text: await response.text(),
  };
}

/** Headers of ours that the document does not name. */
const undocumented = (response: Response, { headers = {} }: Answer): string[] =>
  [...response.headers.keys()].filter(
    (name) =>
      /^(x-svc-|x-request|server-timing|request-id|retry|x-should|ratelimit|etag|idempotent)/.test(name) &&
      !(name in headers),
  );

describe("what the service answers", () => {
  test.each(asked)("$name", async (row) => {
    const { path, method = "GET", status, body } = row;
    const { response, type, text } = await send(row);
    expect([response.status, text.slice(0, 300)]).toEqual([status, expect.any(String)]);
    const operation = document.paths[path]![method.toLowerCase()]!;
    const answer = operation.responses[status]!;
    const content = answer.content?.[type];
    expect(content, `${type} of ${status}`).toBeDefined();
    const at = ["paths", path, method.toLowerCase(), "responses", String(status), "content", type];
    if (type === "text/event-stream") {
      const events = readEvents(text);
      expect(events.length).toBeGreaterThan(3);
      const { $ref: event } = content!.schema.contentSchema as { $ref: string };
      expect(events.flatMap((value) => judge.problems(event, value))).toEqual([]);
    } else {
      expect(judge.problems(placeOf(...at, "schema"), JSON.parse(text))).toEqual([]);
    }
    if (status < 300 && body !== undefined) {
      const request = placeOf(
        "paths",
        path,
        method.toLowerCase(),
        "requestBody",
        "content",
        "application/json",
      );
      expect(judge.problems(`${request}/schema`, body)).toEqual([]);
    }
    expect(undocumented(response, answer)).toEqual([]);
  });

  test("a list that has not changed", async () => {
    const { response } = await send({ name: "", path: "/v1/models", status: 200 });
    const headers = { ...keys.manage, "if-none-match": response.headers.get("etag")! };
    const again = await fetch(`${gateway.service.url}/v1/models`, { headers });
    expect(again.status).toBe(304);
    expect(undocumented(again, document.paths["/v1/models"]!.get!.responses[304]!)).toEqual([]);
  });

  test("a key from its making to its end, and the request that it paid for", async () => {
    const own = keys.manage;
    const ask = (fields: Omit<Asked, "name">) => send({ name: "", headers: own, ...fields });
    const made = await ask({
      path: "/v1/account/api-keys",
      method: "POST",
      body: { name: "x", monthly_budget: 1 },
      status: 201,
    });
    const { id, api_key: apiKey } = JSON.parse(made.text);
    const chat = { model: "svc-x1ac-base-gpt-4o", messages: [{ role: "user", content: "find a flight" }] };
    const answered = await send({
      name: "",
      path: "/v1/chat/completions",
      method: "POST",
      body: chat,
      headers: { authorization: `Bearer ${apiKey}` },
      status: 200,
    });
    const at = "/v1/account/api-keys";
    const answers: [string, string, Awaited<ReturnType<typeof send>>][] = [
      ["post", at, made],
      [
        "patch",
        `${at}/{id}`,
        await ask({ path: at, url: `${at}/${id}`, method: "PATCH", body: { name: "y" }, status: 200 }),
      ],
      [
        "get",
        "/v1/generation",
        await ask({ path: at, url: `/v1/generation?id=${JSON.parse(answered.text).id}`, status: 200 }),
      ],
      ["get", "/v1/account/usage", await ask({ path: "/v1/account/usage?group_by=key", status: 200 })],
      ["delete", `${at}/{id}`, await ask({ path: at, url: `${at}/${id}`, method: "DELETE", status: 200 })],
    ];
    for (const [method, path, { response, text }] of answers) {
      expect(response.status, `${path} ${text}`).toBeLessThan(300);
      const place = placeOf("paths", path, method, "responses", String(response.status), "content", json);
      expect(judge.problems(`${place}/schema`, JSON.parse(text))).toEqual([]);
    }
  });
});

test("every operation of the document was answered, well and not", () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  );
  const seen = (well: boolean) =>
    new Set(
      asked
        .filter(({ status }) => status < 300 === well)
        .map(({ method = "GET", path }) => `${method.toLowerCase()} ${path}`),
    );
  const anybody = ["get /health", "get /openapi.json"];
  // The three that need a key of their own have their successes in the test of a key.
  const ofOneKey = [
    "post /v1/account/api-keys",
    "patch /v1/account/api-keys/{id}",
    "delete /v1/account/api-keys/{id}",
  ];
  const well = seen(true);
  expect(operations.filter((name) => !well.has(name) && !ofOneKey.includes(name))).toEqual([
    "get /v1/generation",
  ]);
  const refused = seen(false);
  expect(operations.filter((name) => !refused.has(name) && !anybody.includes(name))).toEqual([]);
});

describe("the document", () => {
  test("passes a linter, warnings too", async () => {
    // Examples of errors in the other layout stay in the document even if no operation refers to them.
    const rules = { "no-unused-components": "off" } as const;
    const config = await createConfig({ extends: ["recommended"], rules });
    const found = await lintFromString({ source: JSON.stringify(document), config });
    expect(
      found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    ).toEqual([]);
  });

  test("has examples of every request and answer, each as its schema says", () => {
    const examples = [...listExamples(document)];
    expect(examples.length).toBeGreaterThan(300);
    const wrong = examples.flatMap(({ name, place, value }) =>
      judge.problems(place, value).map((problem) => `${name}${problem}`),
    );
    expect(wrong).toEqual([]);
    const silent = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { requestBody, responses }]) =>
        [requestBody, ...Object.values(responses)]
          .flatMap((part) => Object.values(part?.content ?? {}))
          .filter((content) => !("examples" in content) && !("example" in content))
          .map(() => `${method} ${path}`),
      ),
    );
    expect(silent).toEqual([]);
  });

  test("does not allow what the service refuses", () => {
    const place = placeOf("components", "schemas", "ChatCompletionRequest");
    expect(judge.problems(place, { model: "m", messages: [] })).not.toEqual([]);
    expect(judge.problems(place, { model: "m", messages: [{ role: "user", content: 7 }] })).not.toEqual([]);
    const block = placeOf("components", "schemas", "MessageContentBlock");
    expect(judge.problems(block, { type: "text" })).not.toEqual([]);
    expect(judge.problems(block, { type: "server_tool_use", id: "x" })).toEqual([]);
  });
});
