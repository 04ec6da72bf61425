/**
 * The provider of all measurements, in a process of its own: the tests' fake provider, answering by what
 * the request's `user` field or its goal asks for. The direct calls and the service's calls get the same bytes.
 */
import { fileURLToPath } from "node:url";
import { type ProviderKind, providerKinds } from "../../../shared/providers.ts";
import type { FakeProvider, FakeRequest, FakeScript } from "../../support/fake-provider.ts";
import { startFakeProvider } from "../../support/fake-provider.ts";
import { writeStream } from "./dialect-streams.ts";

export const providerFile = fileURLToPath(import.meta.url);

/** 49 words make 54 frames of the aggregator's format: comment, role, words, finish, usage, [DONE]. */
export const framesPerStream = 54;
const words = Array.from({ length: framesPerStream - 5 }, (_, index) => ` word${index}`).join("");

export const pacedFrameMs = 5;
/** 50 pieces a second, as fast as large models write: ten seconds in all. */
const steadyFrameMs = 20;
/** A chunk a second: a stream that is open for long and busy seldom. Its 300 pieces last longer than anybody measures. */
const slowFrameMs = 1_000;
const slowText = words.repeat(7);

/** Pieces of text in a `long` answer. */
export const longPieces = 2_000;

/**
 * What a caller may ask for. `short`: nine words. `burst`: 54 frames at once. `paced`: the same, 5 ms apart. `steady`: ten times as many,
 * 20 ms apart. `slow`: a chunk a second. `held`: silence after three frames. `long`: the same 2,000 pieces in each kind's own envelopes,
 * at once.
 */
export type AnswerKind = "short" | "burst" | "paced" | "steady" | "slow" | "held" | "long";
const scripts: Readonly<Record<Exclude<AnswerKind, "long">, FakeScript>> = {
  short: { chunking: "whole" },
  burst: { text: words, chunking: "whole" },
  paced: { text: words, frameDelayMs: pacedFrameMs },
  steady: { text: words.repeat(10), frameDelayMs: steadyFrameMs },
  slow: { text: slowText, frameDelayMs: slowFrameMs },
  held: { text: words, hangAfter: 3 },
};

const longScripts = Object.fromEntries(
  providerKinds.map((kind): [string, FakeScript] => [
    kind,
    { frames: writeStream(kind, longPieces), chunking: "whole" },
  ]),
) as Record<ProviderKind, FakeScript>;

/** Asks for an answer in the goal's text, for providers whose wire has no `user`. */
export const askFor = (answer: AnswerKind): string => `[${answer} answer]`;

function readAnswerKind(body: unknown): AnswerKind {
  const asked =
    (body as { user?: string }).user ?? /\[([a-z]+) answer\]/.exec(JSON.stringify(body))?.[1] ?? "";
  return asked === "long" || asked in scripts ? (asked as AnswerKind) : "burst";
}

/** The pool's list: one model, at a price at which the demo account's credit lasts for all measurements. */
const routerModels = {
  data: [
    {
      id: "openai/gpt-4o-mini",
      name: "gpt-4o-mini",
      created: 1_764_547_200,
      context_length: 128_000,
      architecture: { modality: "text->text", input_modalities: ["text"], output_modalities: ["text"] },
      top_provider: { context_length: 128_000, max_completion_tokens: 16_384, is_moderated: false },
      pricing: { prompt: "0.00000015", completion: "0.0000006", request: "0", image: "0" },
    },
  ],
};

/** The aggregator's record of an answer that was left: its usage is asked for. */
const record = {
  data: {
    native_tokens_prompt: 40,
    native_tokens_completion: 20,
    native_tokens_cached: 0,
    total_cost: 0.000018,
  },
};

/** Scripts the provider to answer as asked; `onChat` is called before each answer to a chat request. */
export function scriptProvider(provider: FakeProvider, onChat: () => void = () => undefined): void {
  const answer = ({ kind, body }: FakeRequest): FakeScript => {
    onChat();
    const asked = readAnswerKind(body);
    return asked === "long" ? longScripts[kind] : scripts[asked];
  };
  for (const kind of providerKinds) provider.respond(kind, answer);
  provider.respond("router", { json: routerModels }, "models");
  provider.respond("router", { json: record }, "generation");
}

if (import.meta.main) {
  const provider = await startFakeProvider({ record: false });
  scriptProvider(provider);
  process.once("SIGTERM", () => void provider.stop());
  process.stdin.on("end", () => process.exit(0)).resume();
  process.stdout.write(`listening ${new URL(provider.url("alpha")).origin}\n`);
}
