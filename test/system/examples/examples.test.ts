// Each program of examples/ as its header says to run it, against the whole service: it ends well and prints what it promises.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FakeScript } from "../../support/fake-provider.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { root } from "../../support/service.ts";

let gateway: Gateway;
let apiKey: string;
beforeAll(async () => {
  gateway = await startGateway();
  ({ apiKey } = await gateway.newCaller(10_000_000));
});
afterAll(() => gateway?.stop());

const spoken: FakeScript = { text: "Lisbon is clear." };
const called: FakeScript = { toolCalls: [{ name: "get_weather", arguments: { city: "Lisbon" } }] };

type Example = { provider: FakeScript[]; prints: RegExp[]; base?: string };
const examples: Readonly<Record<string, Example>> = {
  "openai-chat.ts": {
    provider: [spoken],
    prints: [/^plan: \w+/, /Lisbon is clear\./, /cost: 0\.\d+ credits/],
  },
  "openai-tools.ts": { provider: [called, spoken], prints: [/^Lisbon is clear\.$/m] },
  "openai-responses.ts": {
    provider: [{ text: '{"city":"Lisbon","price":89}' }],
    prints: [/city: 'Lisbon', price: 89/],
  },
  "anthropic.ts": { provider: [spoken], prints: [/^plan: \w+/, /Lisbon is clear\./, /end_turn/], base: "" },
  "ai-sdk.ts": {
    provider: [called, spoken, called, spoken, called, spoken],
    prints: [/chat completions, 2 steps: Lisbon/, /responses, 2 steps: Lisbon/, /messages, 2 steps: Lisbon/],
  },
  "langchain.ts": { provider: [called, spoken], prints: [/^Lisbon is clear\.$/m] },
  "fetch.ts": { provider: [spoken], prints: [/^plan: \w+/, /flight and ticket: 0\.\d+; flight and plants/] },
};

test.each(Object.entries(examples))("examples/%s", async (file, { provider, prints, base = "/v1" }) => {
  gateway.provider.reset();
  gateway.provider.respond("router", provider);
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, "examples", file)], {
    env: { PATH: process.env.PATH, SVC_BASE_URL: gateway.service.url + base, SVC_API_KEY: apiKey },
  });
  for (const line of prints) expect(stdout).toMatch(line);
});

test.each(Object.keys(examples))(
  "examples/%s says how it is run, also where the system's Node is too old for it",
  (file) => {
    expect(readFileSync(join(root, "examples", file), "utf8")).toMatch(
      new RegExp(`^//   SVC_BASE_URL=\\S+ SVC_API_KEY=\\S+ npx node examples/${file}$`, "m"),
    );
  },
);

// Without an address the libraries take their maker's, which would be sent the key of this service.
test.each(Object.keys(examples))("examples/%s has the address of a service on this machine", (file) => {
  expect(readFileSync(join(root, "examples", file), "utf8")).toMatch(
    /SVC_BASE_URL \?\? "http:\/\/127\.0\.0\.1:8787/,
  );
});

test("every example is run, and docs/clients.md names each file that it links", () => {
  const files = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"));
  expect(files.sort()).toEqual(Object.keys(examples).sort());
  const document = readFileSync(join(root, "docs/clients.md"), "utf8");
  const linked = [...document.matchAll(/\.\.\/examples\/([\w-]+\.ts)/g)].map(([, name]) => name!);
  expect(linked.filter((name) => !files.includes(name))).toEqual([]);
});
