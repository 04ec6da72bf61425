/**
 * Memory of the edge while twelve requests with an image of 9.5 MiB each come at once, answered at once and in
 * slow streams. Only by name: `--only large-bodies`.
 */
import { Agent } from "undici";
import type { Measurement } from "../measurement.ts";
import { readResidentMib } from "../process-usage.ts";
import type { Result, Row } from "../result.ts";
import type { AnswerKind } from "../rig/provider.ts";
import type { Rig } from "../rig/rig.ts";
import { percentile } from "../statistics.ts";

const requests = 12;
const imageBytes = 9.5 * 1024 * 1024;
const rounds = 3;

function writeBody(answer: AnswerKind): string {
  const url = `data:image/png;base64,${"iVBORw0K".repeat(imageBytes / 8)}`;
  const content = [
    { type: "text", text: `What is on this picture? [${answer} answer]` },
    { type: "image_url", image_url: { url } },
  ];
  return JSON.stringify({
    model: "svc-x1ac-base-gpt-4o-mini",
    messages: [{ role: "user", content }],
    max_tokens: 64,
    user: answer,
    stream: answer !== "short",
  });
}

async function measure(rig: Rig): Promise<Result> {
  const service = await rig.freshService();
  const agent = new Agent({ connections: requests, bodyTimeout: 0, headersTimeout: 0 });
  const send = async (body: string) => {
    const startedAt = performance.now();
    const headers = { "content-type": "application/json", authorization: `Bearer ${service.demoKey}` };
    const options = { origin: service.url, path: "/v1/chat/completions", method: "POST" } as const;
    const answer = await agent.request({ ...options, headers, body, reset: true });
    for await (const _ of answer.body);
    return { status: answer.statusCode, ms: performance.now() - startedAt };
  };
  const idleMib = readResidentMib(service.processes.edge);
  const rows: Row[] = [];
  try {
    for (const answer of ["short", "paced"] as const) {
      const body = writeBody(answer);
      for (let round = 1; round <= rounds; round++) {
        let peakMib = 0;
        const sampling = setInterval(() => {
          try {
            peakMib = Math.max(peakMib, readResidentMib(service.processes.edge));
          } catch {}
        }, 5);
        const answers = await Promise.all(Array.from({ length: requests }, () => send(body)));
        clearInterval(sampling);
        const ms = answers.map((one) => one.ms);
        rows.push({
          label: `${answer}, round ${round}`,
          figures: {
            above: peakMib - idleMib,
            refused: answers.filter(({ status }) => status !== 200).length,
            p50: percentile(ms, 0.5),
            slowest: Math.max(...ms),
          },
        });
      }
    }
  } finally {
    await agent.destroy();
  }
  return {
    columns: [
      { key: "above", heading: "edge MiB above idle", digits: 0 },
      { key: "refused", heading: "not 200", digits: 0 },
      { key: "p50", heading: "p50 ms", digits: 0 },
      { key: "slowest", heading: "slowest ms", digits: 0 },
    ],
    rows,
    notes: [
      `${requests} requests of ${imageBytes / 1024 / 1024} MiB at once; idle is ${Math.round(idleMib)} MiB; the bar is 400 above it.`,
    ],
  };
}

export const largeBodies: Measurement = {
  name: "large-bodies",
  title: "Memory with large bodies",
  run: measure,
};
