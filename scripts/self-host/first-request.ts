/** Output of a first start: the demo key, a request that works (as it stands, if there is a pool), and a link into the console. */
import { z } from "zod";
import { demoCredits } from "./demo-account.ts";
import type { Service } from "./start-service.ts";

const ModelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Tried in this order; then the first name in the list that has an LLM. */
const preferred = ["gpt-4o-mini", "openai/gpt-4o-mini"];

/** The lines printed before the ready line. */
export async function describeDemo({ url, demo, offered, poolOn }: Service): Promise<string[]> {
  if (demo.apiKey === undefined) {
    return [
      "no demo key in DATA_DIR; create a key with: npm run admin -- key create --account ID --name NAME",
    ];
  }
  const signIn =
    demo.signInPath === undefined
      ? []
      : [`sign in to the console as the demo account (once, within a day): ${url}${demo.signInPath}`];
  if (!demo.created) return [`demo key: see ${demo.keyFile}`, ...signIn];
  const model = chooseModel(await listNames(url, demo.apiKey), offered);
  const body = JSON.stringify({
    model,
    messages: [{ role: "user", content: "Plan a weekend in Lisbon for two" }],
  });
  const [occasion, ownKey] = poolOn
    ? ["try it:", ""]
    : ["try it with your key for OpenRouter, as the pool is off:", " -H 'X-Router-Key: YOUR_KEY'"];
  return [
    `demo key (${demoCredits} credits): ${demo.apiKey}`,
    `kept in ${demo.keyFile}; ${occasion}`,
    `curl -s ${url}/v1/chat/completions -H 'Authorization: Bearer ${demo.apiKey}'${ownKey} -H 'Content-Type: application/json' -d '${body}'`,
    ...signIn,
  ];
}

/**
 * A name that the pool answers: a server of one's own has other models than OpenRouter. `offered`: what it lists; empty if that is not known.
 * Pure.
 */
export function chooseModel(names: readonly string[], offered: readonly string[]): string {
  const isOffered = (llm: string) => offered.length === 0 || offered.some((id) => id.endsWith(llm));
  const wanted = [...preferred.filter(isOffered), ...offered].map((llm) => `svc-x1ac-base-${llm}`);
  return (
    wanted.find((name) => names.includes(name)) ??
    names.find((name) => /^svc-x1ac-base-./.test(name)) ??
    `svc-x1ac-base-${preferred[0]}`
  );
}

async function listNames(url: string, apiKey: string): Promise<string[]> {
  try {
    const response = await fetch(`${url}/v1/models`, {
      headers: { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(5_000),
    });
    return ModelList.parse(await response.json()).data.map(({ id }) => id);
  } catch {
    return [];
  }
}
