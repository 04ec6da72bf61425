/**
 * What each generation of Gemini accepts and refuses in a request, as data: later rows override earlier
 * ones. Every row names its source. A model the table cannot read is taken for a newer one.
 */

export type ThinkingLevel = "minimal" | "low" | "medium" | "high";

export type ModelQuirks = {
  /** How thinking is asked for: not at all, by a number of tokens, or by a level. */
  thinking: "unsupported" | "budget" | "level";
  /** Tokens, if `thinking` is "budget"; `off` if 0 is accepted too. */
  budget: { min: number; max: number; off: boolean };
  /** Levels, if `thinking` is "level", least first. */
  levels: readonly ThinkingLevel[];
  /**
   * Whether temperature, topP and topK have an effect: newer models ignore them, and later ones are to refuse
   * them.
   */
  sampling: boolean;
  /** Whether presencePenalty and frequencyPenalty are accepted. */
  penalties: boolean;
  /** Whether log probabilities are given; other models refuse the request for them. */
  logprobs: boolean;
  /** Whether a JSON response format is accepted together with function declarations. */
  jsonWithTools: boolean;
  /** Whether calls in the history without a thought signature are refused. */
  signedCalls: boolean;
  /** Whether media go inside a functionResponse, not beside it. */
  resultMedia: boolean;
  /** Function calling mode VALIDATED: enforces the schema of arguments without forcing a call. */
  validatedMode: boolean;
};

const docs = "ai.google.dev/gemini-api/docs";

type Row = { from: number; before?: number; name?: RegExp; quirks: Partial<ModelQuirks>; source: string };

const oldest: ModelQuirks = {
  thinking: "unsupported",
  budget: { min: 0, max: 0, off: true },
  levels: [],
  sampling: true,
  penalties: true,
  logprobs: true,
  jsonWithTools: false,
  signedCalls: false,
  resultMedia: false,
  validatedMode: false,
};

/** Versions are major * 100 + minor. */
const rows: readonly Row[] = [
  {
    from: 205,
    quirks: { thinking: "budget", budget: { min: 1, max: 24_576, off: true }, validatedMode: true },
    source: `${docs}/thinking (thinking budgets), ${docs}/function-calling (modes)`,
  },
  {
    from: 205,
    before: 300,
    name: /-pro/,
    quirks: { budget: { min: 128, max: 32_768, off: false } },
    source: `${docs}/thinking (thinking budgets)`,
  },
  {
    from: 205,
    before: 300,
    name: /-flash-lite/,
    quirks: { budget: { min: 512, max: 24_576, off: true } },
    source: `${docs}/thinking (thinking budgets)`,
  },
  {
    from: 205,
    quirks: { penalties: false },
    source:
      "the API's 400 'Penalty is not enabled for this model'; github.com/vercel/ai/issues/8943, of Gemini 3 github.com/google-gemini/cookbook/issues/1290",
  },
  {
    from: 205,
    quirks: { logprobs: false },
    source:
      "the API's 400 'Logprobs is not enabled'; github.com/googleapis/python-genai/issues/1921, of Gemini 3.5 github.com/GoogleCloudPlatform/generative-ai/issues/2947",
  },
  {
    from: 300,
    quirks: {
      thinking: "level",
      levels: ["minimal", "low", "medium", "high"],
      jsonWithTools: true,
      signedCalls: true,
      resultMedia: true,
    },
    source: `${docs}/gemini-3`,
  },
  {
    from: 300,
    before: 301,
    name: /-pro/,
    quirks: { levels: ["low", "high"] },
    source: `${docs}/thinking (thinking levels)`,
  },
  {
    from: 301,
    name: /-pro/,
    quirks: { levels: ["low", "medium", "high"] },
    source: `${docs}/thinking (thinking levels)`,
  },
  {
    from: 306,
    quirks: { sampling: false },
    source: `${docs}/generate-content/whats-new-gemini-3.6`,
  },
  {
    from: 305,
    name: /-flash-lite/,
    quirks: { sampling: false },
    source: `${docs}/generate-content/whats-new-gemini-3.6`,
  },
  {
    from: 307,
    name: /-flash(?!-lite)/,
    quirks: { levels: ["low", "medium", "high"] },
    source: `${docs}/thinking (thinking levels)`,
  },
  {
    from: 0,
    name: /-image/,
    quirks: { thinking: "unsupported", signedCalls: false },
    source: `${docs}/image-generation, ${docs}/thought-signatures`,
  },
];

const newestVersion = 9_900;

export function readModelQuirks(model: string): ModelQuirks {
  const match = /gemini-(\d+)(?:\.(\d+))?(?!\d)/.exec(model);
  const old = /gemini-(pro|pro-vision)$/.test(model);
  const version = match ? Number(match[1]) * 100 + Number(match[2] ?? 0) : old ? 100 : newestVersion;
  let quirks = oldest;
  for (const { from, before, name, quirks: change } of rows) {
    const applies = version >= from && version < (before ?? Infinity) && (name?.test(model) ?? true);
    if (applies) quirks = { ...quirks, ...change };
  }
  return quirks;
}
