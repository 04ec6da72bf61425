/**
 * What each generation of Claude accepts and refuses in a request, as data: later rows override earlier
 * ones. Every row names its source. A model the table cannot read is taken for a newer one.
 */

export type ModelQuirks = {
  /** Which sampling fields are accepted: all; temperature or top_p but not both; or only default values. */
  sampling: "free" | "one-of" | "none";
  /** How thinking is asked for: a token budget, adaptive with an effort, either, or not at all. */
  thinking: "unsupported" | "budget" | "budget-or-adaptive" | "adaptive";
  /** How thinking is turned off: by leaving the field out, by `disabled`, by `between_tools`, or never. */
  thinkingOff: "omit" | "disabled" | "between_tools" | "never";
  /** Whether `xhigh` is an effort; otherwise `max` is sent for it. */
  xhighEffort: boolean;
  /** Whether `output_config.format` and `strict` tools are accepted. */
  structuredOutput: boolean;
  /** Whether instructions after the first message may be turns of their own, each after a user's turn. */
  laterSystem: boolean;
  /** `tool_choice` any/tool: accepted, accepted only without thinking, or refused. */
  forcedTool: "yes" | "without-thinking" | "no";
};

const docs = "platform.claude.com/docs/en";

type Row = {
  /** First version of each family that the row applies to, as major * 100 + minor. */
  from: Readonly<Record<string, number>>;
  quirks: Partial<ModelQuirks>;
  source: string;
};

const oldest: ModelQuirks = {
  sampling: "free",
  thinking: "unsupported",
  thinkingOff: "omit",
  xhighEffort: false,
  structuredOutput: false,
  laterSystem: false,
  forcedTool: "without-thinking",
};

const newest: ModelQuirks = {
  sampling: "none",
  thinking: "adaptive",
  thinkingOff: "never",
  xhighEffort: true,
  structuredOutput: true,
  laterSystem: true,
  forcedTool: "yes",
};

const rows: readonly Row[] = [
  {
    from: { opus: 400, sonnet: 307, haiku: 405 },
    quirks: { thinking: "budget" },
    source: `${docs}/build-with-claude/extended-thinking`,
  },
  {
    from: { opus: 401, sonnet: 405, haiku: 405 },
    quirks: { sampling: "one-of" },
    source: `${docs}/about-claude/models/migrating-to-claude-4 (update sampling parameters)`,
  },
  {
    from: { opus: 401, sonnet: 405, haiku: 405, fable: 0, mythos: 0 },
    quirks: { structuredOutput: true },
    source: `${docs}/build-with-claude/structured-outputs`,
  },
  {
    from: { opus: 406, sonnet: 406 },
    quirks: { thinking: "budget-or-adaptive" },
    source: `${docs}/build-with-claude/adaptive-thinking`,
  },
  {
    from: { opus: 407, sonnet: 500, haiku: 505, fable: 0, mythos: 0 },
    quirks: { sampling: "none", thinking: "adaptive" },
    source: `${docs}/build-with-claude/thinking-troubleshooting (support by model)`,
  },
  {
    from: { opus: 407, sonnet: 500, haiku: 505, fable: 500, mythos: 500 },
    quirks: { xhighEffort: true },
    source: `${docs}/build-with-claude/effort`,
  },
  {
    from: { opus: 500, sonnet: 500, haiku: 505 },
    quirks: { thinkingOff: "disabled", forcedTool: "yes" },
    source: `${docs}/models/opus-5/migration-guide, ${docs}/models/sonnet-5/migration-guide`,
  },
  {
    from: { sonnet: 505 },
    quirks: { thinkingOff: "between_tools", forcedTool: "no" },
    source: `${docs}/models/sonnet-5-5/migration-guide`,
  },
  {
    from: { opus: 505, fable: 0, mythos: 0 },
    quirks: { thinkingOff: "never", forcedTool: "yes" },
    source: `${docs}/build-with-claude/thinking-troubleshooting (rejected configurations)`,
  },
  {
    from: { opus: 408, sonnet: 505, haiku: 505, fable: 0, mythos: 0 },
    quirks: { laterSystem: true },
    source: `${docs}/build-with-claude/mid-conversation-system-messages; of Sonnet 5 sources differ`,
  },
  {
    from: { opus: 505, fable: 501, mythos: 501 },
    quirks: { forcedTool: "no" },
    source: `${docs}/agents-and-tools/tool-use/define-tools (forcing tool use)`,
  },
];

/** Both id styles: claude-3-5-sonnet-20241022 and claude-opus-4-1-20250805; a date is no minor version. */
const idPattern =
  /claude-(?:(\d+)(?:-(\d{1,2})(?!\d))?-)?(opus|sonnet|haiku|fable|mythos)(?:-(\d{1,2})(?!\d)(?:-(\d{1,2})(?!\d))?)?/;

export function readModelQuirks(model: string): ModelQuirks {
  const match = idPattern.exec(model);
  if (match === null) return /claude-(instant|v?[12]\b)/.test(model) ? oldest : newest;
  const family = match[3] ?? "";
  const version = Number(match[1] ?? match[4] ?? 0) * 100 + Number(match[2] ?? match[5] ?? 0);
  let quirks = oldest;
  for (const row of rows) {
    const from = row.from[family];
    if (from !== undefined && version >= from) quirks = { ...quirks, ...row.quirks };
  }
  return quirks;
}
