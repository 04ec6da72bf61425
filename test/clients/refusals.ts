/** How soon our own sentence is on a program's screen when it has a wrong key, an unknown model, or a size that is not loaded. */
import { type Stage, withPlace, withRun } from "./scenes.ts";

/** What the target has wrong, and what the screen must show. Of a 404 Claude Code shows only its own sentence, which names the model. */
export const refusals = {
  "wrong key": { apiKey: "svc_sk_live_wrong", sentence: /unknown, revoked or mistyped/ },
  "unknown model": {
    model: "svc-x1ac-base-gpt-none",
    sentence: /Unknown model|issue with the selected model/,
  },
  "size not loaded": { model: "svc-x1ac-xl-gpt-4o", sentence: /is not loaded/ },
  /** For comparison: how long the program takes to start and show an answer that comes at once. */
  "no refusal": { sentence: /The fake provider answers/ },
} as const;
export type RefusalName = keyof typeof refusals;

const maxMs = 60_000;

export type Refused = {
  /** From the program's start. */
  shownMs: number | undefined;
  /** From the service's first refusal. */
  afterMs: number | undefined;
  /** Requests that the program sent until then. */
  requests: number;
  output: string;
};

/** Counts the requests that the access log names from now on, and notes when the first one came. */
function watchLog({ gateway: { service } }: Stage) {
  const [out, err] = [service.stdout().length, service.stderr().length];
  const count = () =>
    (service.stdout().slice(out) + service.stderr().slice(err)).split('"event":"request"').length - 1;
  let firstAt: number | undefined;
  const timer = setInterval(() => {
    if (firstAt === undefined && count() > 0) firstAt = Date.now();
  }, 10);
  return { count, firstAt: () => firstAt, stop: () => clearInterval(timer) };
}

export async function playRefusal(stage: Stage, name: RefusalName): Promise<Refused> {
  const { sentence, ...wrong } = refusals[name];
  const { gateway, caller } = stage;
  const target = { url: gateway.service.url, apiKey: caller.apiKey, model: "svc-x1ac-base-gpt-4o", ...wrong };
  gateway.provider.reset();
  return withPlace((place) => {
    const log = watchLog(stage);
    return withRun(stage, { task: "Say hello.", target, place }, async (run) => {
      const shownMs = await run.untilSays(sentence, maxMs);
      const firstAt = log.firstAt();
      log.stop();
      const afterMs = firstAt === undefined ? undefined : Date.now() - firstAt;
      return { shownMs, afterMs, requests: log.count(), output: run.output() };
    });
  });
}
