/**
 * Older model names -> the newer version that serves them. Three kinds of row: a model its vendor has shut
 * down goes to the replacement the vendor names; a `-latest` or dot spelling goes to the listed id; a dated
 * snapshot goes to the undated id that has no other snapshot. A listed id is never an alias.
 */

type AliasGroup = { to: string; from: readonly string[] };

/** Sources: `openai` = developers.openai.com/api/docs/deprecations; `anthropic` =
 * platform.claude.com/docs/en/about-claude/model-deprecations; `gemini` = ai.google.dev/gemini-api/docs/deprecations. */
const groups: readonly AliasGroup[] = [
  // openai, shut down 2026-10-23 (and the earlier previews whose replacement was one of these)
  {
    to: "gpt-5.6-sol",
    from: [
      "gpt-4",
      "gpt-4-0314",
      "gpt-4-0613",
      "gpt-4-32k",
      "gpt-4-1106-preview",
      "gpt-4-0125-preview",
      "gpt-4-vision-preview",
      "gpt-4-turbo",
      "gpt-4-turbo-preview",
      "gpt-4-turbo-2024-04-09",
      "gpt-4o-2024-05-13",
      "gpt-4.5-preview",
      "gpt-4.5-preview-2025-02-27",
      // openai: the undated name of the 5.6 family stands for its flagship
      "gpt-5.6",
    ],
  },
  {
    to: "gpt-5.6-terra",
    from: [
      "gpt-3.5-turbo",
      "gpt-3.5-turbo-0125",
      "gpt-3.5-turbo-0613",
      "gpt-3.5-turbo-1106",
      "gpt-3.5-turbo-16k",
      // openai: versioned chat variants, shut down in August 2026 (the choice of replacement is ours)
      "gpt-5-chat-latest",
      "gpt-5.1-chat-latest",
      "gpt-5.2-chat-latest",
      "gpt-5.3-chat-latest",
    ],
  },
  { to: "gpt-5.6-luna", from: ["gpt-4.1-nano", "gpt-4.1-nano-2025-04-14"] },
  // openai: the only snapshot of each
  { to: "gpt-4o-mini", from: ["gpt-4o-mini-2024-07-18"] },
  { to: "gpt-4.1", from: ["gpt-4.1-2025-04-14"] },
  { to: "gpt-4.1-mini", from: ["gpt-4.1-mini-2025-04-14"] },
  { to: "gpt-5", from: ["gpt-5-2025-08-07"] },
  { to: "gpt-5-mini", from: ["gpt-5-mini-2025-08-07"] },
  { to: "gpt-5-nano", from: ["gpt-5-nano-2025-08-07"] },
  { to: "gpt-5.1", from: ["gpt-5.1-2025-11-13"] },
  { to: "gpt-5.2", from: ["gpt-5.2-2025-12-11"] },
  { to: "gpt-5.4", from: ["gpt-5.4-2026-03-05"] },
  { to: "gpt-5.4-mini", from: ["gpt-5.4-mini-2026-03-17"] },
  { to: "gpt-5.4-nano", from: ["gpt-5.4-nano-2026-03-17"] },
  { to: "gpt-5.5", from: ["gpt-5.5-2026-04-23"] },
  { to: "gpt-6.1-sol", from: ["gpt-6.1-sol-2026-09-29"] },

  // anthropic: Sonnet 3 (2025-07), 3.5 (2025-10), 4 (2026-06), and the names without a date
  {
    to: "claude-sonnet-4-6",
    from: [
      "claude-3-sonnet-20240229",
      "claude-3-5-sonnet-20240620",
      "claude-3-5-sonnet-20241022",
      "claude-3-5-sonnet-latest",
      "claude-3-5-sonnet",
      "claude-sonnet-4-20250514",
      "claude-sonnet-4-0",
      "claude-sonnet-4",
      "claude-sonnet-4.6",
    ],
  },
  // anthropic: Opus 3 (2026-01), 4 (2026-06), 4.1 (2026-08)
  {
    to: "claude-opus-4-8",
    from: [
      "claude-3-opus-20240229",
      "claude-3-opus-latest",
      "claude-opus-4-20250514",
      "claude-opus-4-0",
      "claude-opus-4",
      "claude-opus-4-1-20250805",
      "claude-opus-4-1",
      "claude-opus-4.8",
    ],
  },
  // anthropic: Haiku 3 and 3.5 (2026)
  {
    to: "claude-haiku-4-5",
    from: [
      "claude-3-haiku-20240307",
      "claude-3-5-haiku-20241022",
      "claude-3-5-haiku-latest",
      "claude-3-5-haiku",
      "claude-haiku-4.5",
    ],
  },
  { to: "claude-3-7-sonnet-20250219", from: ["claude-3-7-sonnet-latest", "claude-3-7-sonnet"] },
  { to: "claude-sonnet-4-5", from: ["claude-sonnet-4.5"] },
  { to: "claude-opus-4-5", from: ["claude-opus-4.5"] },
  { to: "claude-opus-4-6", from: ["claude-opus-4.6"] },
  { to: "claude-opus-4-7", from: ["claude-opus-4.7"] },
  { to: "claude-opus-5-5", from: ["claude-opus-5.5"] },
  { to: "claude-sonnet-5-5", from: ["claude-sonnet-5.5"] },
  { to: "claude-haiku-5-5", from: ["claude-haiku-5.5"] },
  { to: "claude-fable-5-1", from: ["claude-fable-5.1"] },
  { to: "claude-fable-5-2", from: ["claude-fable-5.2"] },

  // gemini: 2.0 shut down; 3 Pro preview shut down 2026-03-09; Google itself routes 3.5 Flash to 3.6 Flash
  {
    to: "gemini-2.5-flash",
    from: ["gemini-2.0-flash", "gemini-2.0-flash-001", "gemini-1.5-flash", "gemini-1.5-flash-latest"],
  },
  {
    to: "gemini-2.5-flash-lite",
    from: ["gemini-2.0-flash-lite", "gemini-2.0-flash-lite-001", "gemini-1.5-flash-8b"],
  },
  {
    to: "gemini-3.1-pro-preview",
    from: ["gemini-3-pro-preview", "gemini-2.5-pro-preview-05-06", "gemini-2.5-pro-preview-06-05"],
  },
  { to: "gemini-2.5-pro", from: ["gemini-1.5-pro", "gemini-1.5-pro-latest", "gemini-pro"] },
  { to: "gemini-3.6-flash", from: ["gemini-3.5-flash"] },
  { to: "gemini-3.1-flash-lite", from: ["gemini-3.1-flash-lite-preview"] },
];

/** Older name -> listed id, for every row above. */
export const aliases: ReadonlyMap<string, string> = new Map(
  groups.flatMap(({ to, from }) => from.map((name) => [name, to] as const)),
);
