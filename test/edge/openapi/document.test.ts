import { beforeAll, describe, expect, test } from "vitest";
import { fieldDescriptions } from "../../../edge/openapi/field-descriptions.ts";
import { servedPaths } from "../../../edge/routes/console.ts";
import { type ErrorCode, errorTable } from "../../../shared/errors.ts";
import { createTestApp } from "../support/app.ts";

type Json = Record<string, unknown>;
type Document = {
  openapi: string;
  paths: Record<string, Record<string, { responses: Record<string, Json> }>>;
  components: {
    schemas: Record<string, { properties?: Json }>;
    examples: Record<string, { value: { error: Json } }>;
    headers: Json;
  };
};

const { app, send } = createTestApp();
let document: Document;
beforeAll(async () => {
  document = await (await send("/openapi.json")).json<Document>();
});

describe("GET /openapi.json", () => {
  test("is for anybody, JSON, and the same each time", async () => {
    const [first, second] = [await send("/openapi.json"), await send("/openapi.json")];
    expect([first.status, first.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await first.text()).toBe(await second.text());
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  test("has every path and method of the app that is no page, and no other", () => {
    // The console's own endpoints too: they take its cookie, from its pages, and nothing else.
    const isPage = (path: string) =>
      servedPaths.includes(path) || /^\/(metrics|v1\/operator|v1\/account\/s)/.test(path);
    const served = app.routes
      .filter(({ path, method }) => method !== "ALL" && !isPage(path))
      .map(({ path, method }) => `${method} ${path.replace(/:(\w+)(\{.*\})?/g, "{$1}")}`);
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual([...new Set(served)].sort());
  });

  test("names headers of answers that a browser's script may read, each of them", async () => {
    const response = await send("/health", { headers: { origin: "https://app.example" } });
    const readable = response.headers.get("access-control-expose-headers")?.split(",");
    const named = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap(({ headers = {} }) => Object.keys(headers as Json));
    expect(named).toContain("x-svc-count");
    expect(readable).toEqual(expect.arrayContaining([...new Set(named)]));
  });

  test("shows every error of the one table in each layout, with its type and code", () => {
    for (const [code, { type, anthropicType, publicCode }] of Object.entries(errorTable)) {
      const { examples } = document.components;
      expect(examples[`openai.${code}`]?.value.error).toMatchObject({ type, code: publicCode ? code : null });
      expect(examples[`anthropic.${code}`]?.value.error).toMatchObject({ type: anthropicType });
      expect(examples[`flat.${code}`]?.value.error).toEqual(expect.any(String));
    }
  });

  test("names each error at some operation but those of paths and methods that are none", () => {
    const text = JSON.stringify(document.paths);
    const silent = (Object.keys(errorTable) as ErrorCode[]).filter((code) => !text.includes(`.${code}"`));
    expect(silent).toEqual([
      "sign_in_failed",
      "method_not_allowed",
      "websocket_not_served",
      "service_unavailable",
    ]);
  });

  test("describes no field that a schema does not have", () => {
    const lost = Object.entries(fieldDescriptions).flatMap(([name, fields]) =>
      Object.keys(fields)
        .filter((field) => document.components.schemas[name]?.properties?.[field] === undefined)
        .map((field) => `${name}.${field}`),
    );
    expect(lost).toEqual([]);
  });

  test.each(["ChatCompletionRequest", "MessagesRequest", "ResponsesRequest"])(
    "describes models as fallback models in %s",
    (name) => {
      expect(document.components.schemas[name]?.properties?.models).toMatchObject({
        anyOf: [{ type: "array", maxItems: 8, items: { type: "string" } }, { type: "null" }],
        description: expect.stringContaining("fallback models"),
      });
    },
  );

  test("refers to nothing that is not there", () => {
    const places = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, place]) => place!);
    const lost = places.filter(
      (place) =>
        place.split("/").reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document) ===
        undefined,
    );
    expect([...new Set(lost)]).toEqual([]);
    expect(places.length).toBeGreaterThan(500);
  });
});
