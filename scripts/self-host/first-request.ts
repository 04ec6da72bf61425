/** Output of a first start: the demo key, a request that works as it stands, and a link into the console. */
import { z } from "zod";
import { type DemoAccount, demoCredits } from "./demo-account.ts";

const ModelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Tried in this order; then the first name in the list that has an LLM. */
const preferred = ["svc-x1ac-base-gpt-4o-mini", "svc-x1ac-base-openai/gpt-4o-mini"];

/** The lines printed before the ready line. */
export async function describeDemo(url: string, demo: DemoAccount): Promise<string[]> {
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
  const model = await chooseModel(url, demo.apiKey);
  const body = JSON.stringify({
    model,
    messages: [{ role: "user", content: "Plan a weekend in Lisbon for two" }],
  });
  return [
    `demo key (${demoCredits} credits): ${demo.apiKey}`,
    `kept in ${demo.keyFile}; try it:`,
    `curl -s ${url}/v1/chat/completions -H 'Authorization: Bearer ${demo.apiKey}' -H 'Content-Type: application/json' -d '${body}'`,
    ...signIn,
  ];
}

async function chooseModel(url: string, apiKey: string): Promise<string> {
  try {
    const response = await fetch(`${url}/v1/models`, {
      headers: { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(5_000),
    });
    const ids = ModelList.parse(await response.json()).data.map(({ id }) => id);
    return (
      preferred.find((id) => ids.includes(id)) ??
      ids.find((id) => /^svc-x1ac-base-./.test(id)) ??
      preferred[0]!
    );
  } catch {
    return preferred[0]!;
  }
}
