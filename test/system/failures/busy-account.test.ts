// An account without credit that keeps the edge's only thread busy with requests that cost nothing: others are still served, by the same
// edge.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Caller, type Gateway, hello, ownKeys, startGateway } from "../../support/gateway.ts";

const [own] = ownKeys;
const credit = 1_000_000_000;
const attackers = 48;
/** How many requests the other account makes: they take some seconds in all. */
const asked = 12;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

/** Costs a tenth of a second of the thread to parse, check and decode, and is free to count. */
const manyParts = JSON.stringify({
  model: own.model,
  messages: [{ role: "user", content: Array.from({ length: 24_000 }, () => ({ type: "text", text: "a" })) }],
});

const count = async ({ apiKey }: Caller): Promise<number> => {
  const answer = await fetch(`${gateway.baseUrl}/messages/count_tokens`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: manyParts,
  });
  await answer.text();
  return answer.status;
};

test("one account's many large bodies keep nobody out, and do not end the edge (failures 64)", async () => {
  const [busy, other] = [await gateway.newCaller(0), await gateway.newCaller(credit)];
  const edge = await gateway.service.pidOf("edge");
  let isOver = false;
  const counted: number[] = [];
  const loops = Array.from({ length: attackers }, async () => {
    while (!isOver) counted.push(await count(busy));
  });
  const statuses: number[] = [];
  for (; statuses.length < asked; await sleep(250)) {
    const answer = await other.chat({ ...hello, model: own.model }, { headers: own.headers });
    await answer.text();
    statuses.push(answer.status);
  }
  isOver = true;
  await Promise.all(loops);
  expect(new Set(statuses)).toEqual(new Set([200]));
  // The busy account itself may be refused on a slow machine: its requests wait for each other, half a minute at most.
  expect(counted).toContain(200);
  expect([200, 503]).toEqual(expect.arrayContaining([...new Set(counted)]));
  expect(await gateway.service.pidOf("edge")).toBe(edge);
}, 120_000);
