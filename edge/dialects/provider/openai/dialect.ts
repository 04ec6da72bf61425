/** The two providers that speak OpenAI's chat completions: OpenAI itself (alpha) and the aggregator (router). */
import type { ProviderDialect } from "../dialect.ts";
import { generation, placeCacheMark, writeRouting } from "./aggregator.ts";
import { alphaFlavour, routerFlavour, type WireFlavour } from "./flavour.ts";
import { createStreamReader, readReply } from "./read-answer.ts";
import { readRefusal } from "./read-error.ts";
import { enforcesFormat, writeRequest } from "./write-request.ts";

const createDialect = (flavour: WireFlavour): ProviderDialect => ({
  name: "openai",
  takesChoices: flavour.takesChoices,
  // API reference, tools.function.name
  toolNames: { fits: /^[\w-]{1,64}$/, maxChars: 64, first: /^[\w-]/ },
  writeRequest: (request, target) => writeRequest(request, target, flavour),
  enforcesFormat: (request, target) => enforcesFormat(request, target, flavour),
  createStreamReader,
  readReply,
  readRefusal,
});

export const alphaDialect: ProviderDialect = createDialect(alphaFlavour);
export const routerDialect: ProviderDialect = {
  ...createDialect(routerFlavour),
  writeRequest: (request, target) =>
    writeRouting(writeRequest(placeCacheMark(request, target.model), target, routerFlavour), target),
  generation,
};
