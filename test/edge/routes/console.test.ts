// The console's files through the edge, with a folder of three files as its assets.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { consolePaths } from "../../../shared/console-pages.ts";
import { createTestApp } from "../support/app.ts";

const files: Record<string, string> = {
  "/index.html": "<!doctype html><title>page</title>",
  "/console/main-ABCD1234.js": "start()",
  "/console/mark.png": "picture",
  "/docs/security.html": "<!doctype html><title>Security</title>",
  "/not-found.html": "<!doctype html><title>Page not found</title>",
};
const ASSETS = {
  fetch: async (request: Request) => {
    const body = files[new URL(request.url).pathname];
    return new Response(body ?? "none", { status: body === undefined ? 404 : 200 });
  },
};

async function get(path: string, init: RequestInit = {}, bindings: object = { ASSETS }): Promise<Response> {
  const { app } = createTestApp();
  const execution = createExecutionContext();
  const response = await app.request(`https://svc.example${path}`, init, bindings, execution);
  await waitOnExecutionContext(execution);
  return response;
}

describe("the console", () => {
  test.each(consolePaths)("%s is the application's page", async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await response.text()).toContain("<title>page</title>");
  });

  test("a page may load and call this origin only, runs nothing inline, and is shown in no frame", async () => {
    const { headers } = await get("/");
    const policy = headers.get("content-security-policy")!;
    expect(policy.split("; ").sort()).toEqual(
      [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].sort(),
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-cache");
  });

  test("a file with a hash in its name is kept for ever, with its own type", async () => {
    const { headers } = await get("/console/main-ABCD1234.js");
    expect(headers.get("cache-control")).toContain("immutable");
    expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  });

  test.each([
    ["/", "gzip, deflate, br", "gzip"],
    ["/console/main-ABCD1234.js", "br;q=1, GZIP;q=0.5", "gzip"],
    ["/", "gzip;q=0, br", null],
    ["/", "br", null],
    ["/", undefined, null],
    ["/console/mark.png", "gzip", null],
  ])("%s for a client that takes %s: Content-Encoding is %s", async (path, accepted, encoding) => {
    const { headers, status } = await get(path, { headers: accepted ? { "accept-encoding": accepted } : {} });
    expect(status).toBe(200);
    expect(headers.get("content-encoding")).toBe(encoding);
    expect(/accept-encoding/i.test(headers.get("vary") ?? "")).toBe(!path.endsWith("png"));
  });

  test("a document is its page", async () => {
    expect(await (await get("/docs/security")).text()).toContain("Security");
  });

  test("HEAD / is 200 without a body", async () => {
    const response = await get("/", { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  test.each(["/docs/missing", "/console/none.js", "/console/..%2Findex.html", "/docs/../secret"])(
    "%s is 404, as the API says it",
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: "not_found" } });
    },
  );

  describe("an address without a page", () => {
    const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

    test.each(["/acount", "/docs/missing", "/console/none.js", "/sign-in/nobody", "/docs/a/b"])(
      "%s: a browser gets a page that says so, with status 404",
      async (path) => {
        const response = await get(path, { headers: { accept } });
        expect([response.status, response.headers.get("content-type")]).toEqual([
          404,
          "text/html; charset=utf-8",
        ]);
        expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
        expect(await response.text()).toContain("Page not found");
      },
    );

    test.each([
      ["/acount", { headers: { accept: "*/*" } }],
      ["/acount", { method: "POST", headers: { accept } }],
      ["/v1/chat", { headers: { accept } }],
      ["/v1", { headers: { accept } }],
    ] as const)("%s with %j is a program's: the API's error", async (path, init) => {
      const response = await get(path, init);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: "not_found" } });
    });

    test("where no console is built, a browser gets the API's error, too", async () => {
      const response = await get("/acount", { headers: { accept } }, {});
      expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/json"]);
    });
  });

  test("without its files, as in a Worker deployed without assets, a page is 404 and the API works", async () => {
    expect((await get("/", {}, {})).status).toBe(404);
    expect((await get("/v1/models", {}, {})).status).toBe(401);
  });

  test("POST on a page is 405", async () => {
    const response = await get("/account", { method: "POST" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});
