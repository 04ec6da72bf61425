// Through the workerd that `npm start` runs: forwarding headers that a client writes itself are never trusted.
import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService, type TestService } from "../../support/service.ts";

let alone: TestService;
let behindProxy: TestService;
beforeAll(async () => {
  alone = await startService();
  behindProxy = await startService({ env: { TRUSTED_PROXIES: "1" } });
}, 150_000);
afterAll(() => Promise.all([alone?.stop(), behindProxy?.stop()]));

test.each<[string, number, () => TestService, Record<string, string>]>([
  ["nobody between", 200, () => alone, {}],
  ["a client that says it is on Cloudflare", 200, () => alone, { "cf-connecting-ip": "203.0.113.9" }],
  ["an undeclared proxy", 403, () => alone, { "x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "https" }],
  [
    "https at the proxy",
    200,
    () => behindProxy,
    { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" },
  ],
  [
    "a client that pretends to be on this machine",
    403,
    () => behindProxy,
    { "x-forwarded-for": "127.0.0.1, 203.0.113.9" },
  ],
])("%s is answered %i", async (_name, status, service, headers) => {
  expect((await fetch(`${service().url}/health`, { headers })).status).toBe(status);
});

test("requests for whole URLs are requests for their paths, also one after the other", async () => {
  const { hostname, port, origin } = new URL(alone.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const path of ["/health", "/health?x=http://y/", "/health"]) {
    const asked = get({ agent, hostname, port, path: `${origin}${path}` });
    const [answer]: [IncomingMessage] = (await once(asked, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    await once(answer.resume(), "end");
  }
});
