/** Google's Gemini API (generateContent) as a provider. */
import type { ProviderDialect } from "../dialect.ts";
import { createStreamReader, readReply } from "./read-answer.ts";
import { readRefusal } from "./read-error.ts";
import { enforcesFormat, writeRequest } from "./write-request.ts";

export const geminiDialect: ProviderDialect = {
  name: "gemini",
  // Several models refuse `candidateCount`, and it never streams; parallel calls work for all models.
  takesChoices: false,
  // ai.google.dev/api/caching#FunctionDeclaration; newer models take more
  toolNames: { fits: /^[A-Za-z_][\w.:-]{0,63}$/, maxChars: 64, first: /^[A-Za-z_]/ },
  writeRequest,
  enforcesFormat,
  createStreamReader,
  readReply,
  readRefusal,
};
