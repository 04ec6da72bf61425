/** match: a caller's tools as candidates in the same latent space. A tool is scored directly, never through its action id. */
import type { PlanTool } from "../../shared/planning.ts";
import type { ActionTable } from "./actions.ts";
import { type CandidateSet, createCandidateSet, stemSet } from "./candidates.ts";
import type { EncodedText } from "./encoder.ts";
import { type Lexicon, wordsOfName } from "./lexicon.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** The text a tool is encoded by: its name in plain words, then its description. */
export const textOfTool = (tool: PlanTool): string => {
  const words = wordsOfName(tool.name).join(" ");
  return tool.description === "" ? words : `${words}: ${tool.description}`;
};

export type ToolReader = (tools: readonly PlanTool[], encoded: readonly EncodedText[]) => CandidateSet;

const longestText = 4_000;

export function createToolReader(table: ActionTable, lexicon: Lexicon, tokenizer: Tokenizer): ToolReader {
  // The encoder hands out the same object for a text it remembers, so a known tool is read once.
  const known = new WeakMap<EncodedText, Map<string, number>>();

  function actionIdOf(tool: PlanTool, encoded: EncodedText): number {
    const ids = known.get(encoded) ?? new Map<string, number>();
    known.set(encoded, ids);
    let id = ids.get(tool.name);
    if (id === undefined) {
      id = table.idOfTool(encoded.vector, lexicon.readName(tool.name));
      ids.set(tool.name, id);
    }
    return id;
  }

  return (tools, encoded) => {
    const width = encoded[0]?.vector.length ?? 0;
    const vectors = new Float32Array(tools.length * width);
    for (const [row, { vector }] of encoded.entries()) vectors.set(vector, row * width);
    return createCandidateSet({
      candidates: tools.map((tool, row) => {
        const { verb, object, effect } = lexicon.readName(tool.name);
        const idOf = () => actionIdOf(tool, encoded[row]!);
        return {
          name: tool.name,
          // Found when asked for: only the tools that a plan takes need it.
          get actionId() {
            return idOf();
          },
          effect: effect ?? table.effectOf(idOf()),
          system: false,
          verb,
          object,
        };
      }),
      vectors,
      nameTokens: tools.map((tool) =>
        stemSet(tokenizer.stems, tokenizer.encode(wordsOfName(tool.name).join(" "), longestText)),
      ),
      textTokens: tools.map((tool, row) => {
        const parameters = tool.parameters.flatMap(wordsOfName).join(" ");
        return stemSet(tokenizer.stems, encoded[row]!.tokens, tokenizer.encode(parameters, longestText));
      }),
    });
  };
}
