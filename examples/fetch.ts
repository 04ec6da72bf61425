// Nothing but fetch: a plan without an LLM (rollout), and how near texts are to one another (embeddings).
//   SVC_BASE_URL=http://127.0.0.1:8787/v1 SVC_API_KEY=svc_sk_live_... npx node examples/fetch.ts
const baseURL = process.env.SVC_BASE_URL ?? "http://127.0.0.1:8787/v1";
const ask = async <Body>(path: string, body: object): Promise<Body> => {
  const response = await fetch(baseURL + path, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.SVC_API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
};

const rollout = await ask<{ summary: { action_path: string[]; outcome: string } }>("/rollout", {
  goal: "Find the cheapest flight to Lisbon in May",
  max_steps: 3,
});
console.log(`plan: ${rollout.summary.action_path.join(", ")}; ${rollout.summary.outcome}`);

const { data } = await ask<{ data: { embedding: number[] }[] }>("/embeddings", {
  model: "svc-x1ac-base",
  input: ["search for a flight", "look for a plane ticket", "water the plants"],
});
const [flight, ticket, plants] = data.map(({ embedding }) => embedding);
const cosine = (left: number[], right: number[]) =>
  left.reduce((sum, value, index) => sum + value * right[index]!, 0).toFixed(3);
console.log(`flight and ticket: ${cosine(flight!, ticket!)}; flight and plants: ${cosine(flight!, plants!)}`);

export {};
