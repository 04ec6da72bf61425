/** How soon our own sentence is on a program's screen when it has a wrong key, an unknown model, or a size that is not loaded. */
import { type Stage, withPlace, withRun } from "./scenes.ts";

/** Of a 404 Claude Code says only its own sentence, which names the model. */
export const refusals = {
  "wrong key": { apiKey: "svc_sk_live_wrong", sentence: /unknown, revoked or mistyped/ },
  "unknown model": {
    model: "svc-x1ac-base-gpt-none",
    sentence: /Unknown model|issue with the selected model/,
  },
  "size not loaded": { model: "svc-x1ac-xl-gpt-4o", sentence: /is not loaded/ },
} as const;
export type RefusalName = keyof typeof refusals;

const longestMs = 60_000;

export type Refused = { ms: number | undefined; output: string };

export async function playRefusal(stage: Stage, name: RefusalName): Promise<Refused> {
  const { sentence, ...wrong } = refusals[name];
  const { gateway, caller } = stage;
  const target = { url: gateway.service.url, apiKey: caller.apiKey, model: "svc-x1ac-base-gpt-4o", ...wrong };
  return withPlace((place) =>
    withRun(stage, { task: "Say hello.", target, place }, async (run) => {
      const ms = await run.untilSays(sentence, longestMs);
      return { ms, output: run.output() };
    }),
  );
}
