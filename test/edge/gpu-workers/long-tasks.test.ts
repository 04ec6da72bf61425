// A task of which the worker tells progress: a hundred long texts take a CPU minutes, and what is given up is free.
import { beforeAll, describe, expect, it } from "vitest";
import { callWorker, type Fetch, type WorkerCall } from "../../../edge/gpu-workers/call-worker.ts";
import { progressType } from "../../../shared/embedding.ts";
import { createSigner, createSigningKeys, type Signer } from "../../../shared/signature.ts";

let signer: Signer;
beforeAll(async () => {
  signer = await createSigner({ privateJwk: (await createSigningKeys()).privateJwk });
});

const everyMs = 60;
/** A worker that says every 60 ms what it has read, so many times, and then either answers or says nothing more. */
const worker = (lines: number, answer: string | undefined): Fetch => {
  const encoder = new TextEncoder();
  return async (_url, { signal }) =>
    new Response(
      new ReadableStream({
        async start(controller) {
          signal?.addEventListener("abort", () => controller.error(new Error("aborted")));
          for (let line = 1; line <= lines && !signal?.aborted; line++) {
            await new Promise((resolve) => setTimeout(resolve, everyMs));
            if (!signal?.aborted) controller.enqueue(encoder.encode(`{"done":${line * 100}}\n`));
          }
          if (answer === undefined || signal?.aborted) return;
          controller.enqueue(encoder.encode(answer));
          controller.close();
        },
      }),
      { headers: { "content-type": progressType } },
    );
};

const embed = { size: "base", texts: ["one"] } as const;
const refusal = JSON.stringify({ error: { code: "text_too_long", message: "m", index: 0 } });

async function ask(fetch: Fetch, overrides: Partial<WorkerCall<"embed">> = {}) {
  const told: number[] = [];
  const outcome = await callWorker({
    task: "embed",
    url: "https://worker.example",
    request: { ...embed, texts: [...embed.texts] },
    body: JSON.stringify(embed),
    requestId: "r",
    share: "s",
    signer,
    fetch,
    signal: new AbortController().signal,
    onProgress: (tokens) => void told.push(tokens),
    timeoutMs: 4 * everyMs,
    endsAt: Date.now() + 600_000,
    now: Date.now(),
    nonce: "n",
    ...overrides,
  });
  return { outcome, told };
}

describe("texts to embed", () => {
  it("are waited for as long as the worker reads on", async () => {
    const { outcome, told } = await ask(worker(8, refusal));
    expect(outcome).toEqual({ kind: "text-too-long", index: 0 });
    expect(told).toHaveLength(8);
  });

  it("are given up once it reads no more", async () => {
    const { outcome, told } = await ask(worker(4, undefined));
    expect(outcome).toMatchObject({ kind: "failed", reason: "timeout" });
    expect(told).toHaveLength(4);
  });
});

it("a plan, for whose first word somebody waits, has one time for all of it", async () => {
  const { outcome } = await ask(worker(8, refusal), { task: "plan" as never });
  expect(outcome).toMatchObject({ kind: "failed", reason: "timeout" });
});
