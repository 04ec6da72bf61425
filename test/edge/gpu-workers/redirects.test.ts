import { expect, test } from "vitest";
import type { Fetch } from "../../../edge/gpu-workers/call-worker.ts";
import { createGpuWorkers } from "../../../edge/gpu-workers/gpu-workers.ts";
import { inspectWorker } from "../../../edge/gpu-workers/inspect-worker.ts";
import { createSigningKeys } from "../../../shared/signature.ts";

test("nothing that is asked of a gpu-worker follows a redirect, which might take prompts and signatures elsewhere", async () => {
  const asked: [path: string, redirect: unknown][] = [];
  const fetch: Fetch = async (url, { redirect }) => {
    asked.push([new URL(url).pathname, redirect]);
    return new Response(null, { status: 307, headers: { location: "https://elsewhere.example/" } });
  };
  const url = "https://rented.example";
  const { privateJwk: signingKey } = await createSigningKeys();
  const workers = createGpuWorkers({ urls: [url], signingKey, fetch, random: () => 0, now: Date.now });
  const request = { size: "base" as const, texts: ["a"] };
  const context = { signal: new AbortController().signal, requestId: "r", accountId: "a" };
  await expect(workers.run("embed", request, context)).rejects.toMatchObject({
    code: "world_model_unavailable",
  });
  await inspectWorker(url, fetch);
  expect(new Set(asked.map(([path]) => path))).toEqual(new Set(["/embed", "/health", "/metrics"]));
  expect(new Set(asked.map(([, redirect]) => redirect))).toEqual(new Set(["manual"]));
});
