/**
 * A planner that echoes its request, so that a test can tell answers apart. A goal steers it: "hold:PATH" holds the thread until that file
 * exists (so does a text to embed), "crash" ends the thread, "throw" fails, "whose" is answered with the account's share. A plan over
 * tools whose descriptions begin with "unseen" comes back after each of them; "unseen hold:PATH" holds the thread while it is read. With
 * FAKE_BROKEN it does not load. Worker threads load it by its URL.
 */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { TextTooLong } from "../../../gpu-worker/planning/embed.ts";
import type { PlanBegun, Planner, PlannerOptions } from "../../../gpu-worker/planning/planner.ts";
import type { PlanTask } from "../../../gpu-worker/planning/read-ahead.ts";
import type { EmbedRequest, EmbedResponse } from "../../../shared/embedding.ts";
import { ModelSize } from "../../../shared/model-sizes.ts";
import type { PlanRequest, PlanResponse } from "../../../shared/planning.ts";
import type { RolloutRequest, RolloutResponse } from "../../../shared/rollout.ts";

export const fakePlannerModule = import.meta.url;

/** @public loaded by its URL, in planner-thread.ts */
export async function loadPlanner(options: PlannerOptions): Promise<Planner> {
  const size = ModelSize.safeParse(basename(options.checkpointDir));
  if (!size.success || process.env.FAKE_BROKEN) throw new Error("there is no checkpoint in this folder");
  return {
    plan: async (requests) => requests.map(fakePlan),
    rollout: async (requests) => requests.map(fakeRollout),
    embed: async (requests) => requests.map(fakeEmbed),
    readAhead: async (task) => fakeReadAhead(task),
    describe: () => ({
      size: size.data,
      dimension: 8,
      device: "cpu",
      checkpoint: "fake",
      numActions: 903,
    }),
    async close() {},
  };
}

export function fakePlan(request: PlanRequest): PlanResponse {
  const verb = request.goal.split(":", 1)[0];
  if (verb === "hold") waitForFile(request.goal.slice("hold:".length));
  if (verb === "crash") process.exit(1);
  if (verb === "throw") throw new TypeError("the text was: canary");
  return {
    steps: [
      {
        actionId: 1,
        actionName: verb === "whose" ? String(request.share) : request.goal,
        category: "retrieval",
        probability: 0.5,
        confidence: "Medium",
        stateChange: 1,
      },
    ],
    overallConfidence: 0.5,
    brainSignal: {
      actionType: request.goal,
      confidence: 0.5,
      planAhead: [],
      simulationConfirmed: true,
      goalProximity: 0,
    },
    goalReached: 0,
    tokens: request.goal.length,
    timings: { queueMs: 0, modelMs: 1 },
  };
}

function fakeReadAhead({ tools, readTexts = [] }: PlanTask): PlanBegun | undefined {
  const next = tools[readTexts.length]?.description ?? "";
  if (!next.startsWith("unseen")) return undefined;
  const [, path] = next.split("hold:");
  if (path) waitForFile(path);
  const read = { vector: new Float32Array(1), tokens: 1 };
  const texts = [...readTexts, read];
  return { readTexts: texts, tokens: texts.length, timings: { queueMs: 0, modelMs: 10 } };
}

/** Echoes the goal as the initial state. */
const fakeRollout = ({ goal }: RolloutRequest): RolloutResponse => ({
  initialState: goal,
  steps: [],
  tokens: goal.length,
  timings: { queueMs: 0, modelMs: 1 },
});

const dimension = 768;

/** The vector of a text, base64, as wide as the size's: the text's code points, then zeros. */
export function fakeVector(text: string): string {
  const numbers = new Float32Array(dimension);
  numbers.set([...text].slice(0, dimension).map((letter) => letter.codePointAt(0)!));
  return Buffer.from(numbers.buffer).toString("base64");
}

/** "long" is a text past the limit. */
function fakeEmbed({ texts }: EmbedRequest): EmbedResponse | TextTooLong {
  const index = texts.indexOf("long");
  if (index !== -1) return { refused: "text_too_long", index };
  for (const text of texts) if (text.startsWith("hold:")) waitForFile(text.slice("hold:".length));
  return {
    vectors: texts.map(fakeVector),
    dimension,
    tokens: texts.join("").length,
    timings: { queueMs: 0, modelMs: 1 },
  };
}

/** Blocks the thread as a model run does: no message reaches it meanwhile. */
function waitForFile(path: string): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; waitedMs < 30_000 && !existsSync(path); waitedMs += 5) Atomics.wait(clock, 0, 0, 5);
}
