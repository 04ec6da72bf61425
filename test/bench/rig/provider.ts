/**
 * The provider of all measurements, in a process of its own: the tests' fake provider, answering by what
 * the request's `user` field asks for. The direct calls and the service's calls get the same bytes.
 */
import { fileURLToPath } from "node:url";
import type { FakeProvider, FakeRequest, FakeScript } from "../../support/fake-provider.ts";
import { startFakeProvider } from "../../support/fake-provider.ts";

export const providerFile = fileURLToPath(import.meta.url);

/** 49 words make 54 frames of the aggregator's format: comment, role, words, finish, usage, [DONE]. */
export const framesPerStream = 54;
const words = Array.from({ length: framesPerStream - 5 }, (_, index) => ` word${index}`).join("");

export const pacedFrameMs = 5;

/**
 * What a caller may ask for. `short`: nine words; `burst`: 54 frames at once; `paced`: the same frame by frame;
 * `held`: silence after three frames.
 */
export type AnswerKind = "short" | "burst" | "paced" | "held";
const scripts: Readonly<Record<AnswerKind, FakeScript>> = {
  short: { chunking: "whole" },
  burst: { text: words, chunking: "whole" },
  paced: { text: words, frameDelayMs: pacedFrameMs },
  held: { text: words, hangAfter: 3 },
};

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

/** Tells a provider to answer so; `onChat` hears of each chat request first. */
export function scriptProvider(provider: FakeProvider, onChat: () => void = () => undefined): void {
  const answer = ({ body }: FakeRequest): FakeScript => {
    onChat();
    const { user } = body as { user?: string };
    return scripts[user as AnswerKind] ?? scripts.burst;
  };
  provider.respond("alpha", answer);
  provider.respond("router", answer);
  provider.respond("router", { json: routerModels }, "models");
}

if (import.meta.main) {
  const provider = await startFakeProvider({ record: false });
  scriptProvider(provider);
  process.once("SIGTERM", () => void provider.stop());
  process.stdin.on("end", () => process.exit(0)).resume();
  process.stdout.write(`listening ${new URL(provider.url("alpha")).origin}\n`);
}
