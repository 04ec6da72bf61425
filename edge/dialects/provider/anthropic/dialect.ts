/** Anthropic's Messages API as a provider. The caller's side of the same wire is dialects/caller/anthropic/. */
import type { ProviderDialect } from "../dialect.ts";
import { createStreamReader, parseReply, readReply } from "./read-answer.ts";
import { readRefusal } from "./read-error.ts";
import { enforcesFormat, tokenCounter, writeRequest } from "./write-request.ts";

export const anthropicDialect: ProviderDialect = {
  name: "anthropic",
  takesChoices: false,
  // platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools
  toolNames: { fits: /^[\w-]{1,128}$/, maxChars: 128, first: /^[\w-]/ },
  writeRequest,
  enforcesFormat,
  createStreamReader,
  parseReply,
  readReply,
  count: tokenCounter,
  readRefusal,
};
