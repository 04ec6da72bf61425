/** A client of the second books: sends one turn of a request, as often as it is told, and remembers what it was told. */
import type { Edge } from "./edges.ts";
import { stallMs } from "./edges.ts";
import type { Ask } from "./sequence.ts";

/** What one try came to. */
export type Told = {
  requestId: string;
  group: string;
  status: number;
  /** Of a whole answer: what it is said to have cost. */
  credits: number | undefined;
  replayed: boolean;
  /** The account was suspended, or the key revoked, from before it was sent until it was answered. */
  shutOut: boolean;
};

const model = "svc-x1ac-base-gpt-4o";
const tools = [
  {
    type: "function",
    function: { name: "search", parameters: { type: "object", properties: { q: { type: "string" } } } },
  },
];

const toolTurn = (turn: number) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `call_${turn}`, type: "function", function: { name: "search", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: `call_${turn}`, content: `result ${turn}: 123 456 789` },
];

type Body = (asked: Ask, words: string, turn: number) => object;
const paths: Record<Ask["dialect"], { path: string; body: Body }> = {
  chat: {
    path: "/v1/chat/completions",
    body: ({ n, loop, turns }, words, turn) => ({
      n,
      max_tokens: 600,
      messages: [
        { role: "user", content: words },
        ...Array.from({ length: turn }, (_, at) => toolTurn(at)).flat(),
      ],
      ...(loop > 1 && { svc: { max_llm_calls: loop } }),
      ...(turns > 1 && { tools }),
    }),
  },
  messages: {
    path: "/v1/messages",
    body: (_, words) => ({ max_tokens: 600, messages: [{ role: "user", content: words }] }),
  },
  responses: {
    path: "/v1/responses",
    body: (_, words) => ({ max_output_tokens: 600, input: [{ role: "user", content: words }] }),
  },
};

/** Tools over turns are asked for in chat's words. */
export const turnsOf = ({ dialect, turns }: Ask): number => (dialect === "chat" ? turns : 1);

export type Try = {
  asked: Ask;
  /** `ask-3-turn-1`. */
  group: string;
  turn: number;
  /** Counts the tries of one turn. */
  nth: number;
  apiKey: string;
  edge: Edge;
  /** Whether requests with this key are refused now, and how often that has changed. */
  watch: () => { shutOut: boolean; changes: number };
};

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const wholeEnd =
  /data: \[DONE\]\n\n$|event: message_stop\n.*\n\n$|event: response\.(completed|incomplete)\n.*\n\n$/;

export async function send({ asked, group, turn, nth, apiKey, edge, watch }: Try): Promise<Told> {
  const requestId = `${group}-${nth}`;
  const { path, body } = paths[asked.dialect];
  const words = `${group.replace(/-turn.*/, "")}: find me a flight to Oslo`;
  const leaving = new AbortController();
  if (asked.leaves !== null) setTimeout(() => leaving.abort(), asked.leaves);
  const before = watch();
  const response = await edge.send(path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "x-request-id": requestId,
      ...(asked.keyed && { "idempotency-key": group }),
    },
    body: JSON.stringify({ model, stream: asked.stream, ...body(asked, words, turn) }),
    signal: leaving.signal,
  });
  const after = watch();
  const text = await read(response, asked.stalls, leaving.signal);
  await response.settled();
  const replayed = response.headers.has("idempotent-replayed");
  return {
    requestId,
    group,
    status: response.status,
    credits: response.status === 200 && !replayed ? readCredits(response, text) : undefined,
    replayed,
    shutOut: before.shutOut && after.changes === before.changes,
  };
}

/** The answer's text; what it has by then, of a caller who leaves or stalls. */
async function read(response: Response, stalls: boolean, signal: AbortSignal): Promise<string> {
  if (response.body === null) return "";
  if (stalls) {
    const reader = response.body.getReader();
    await reader.read().catch(() => {});
    await sleep(stallMs);
    await reader.cancel().catch(() => {});
    return "";
  }
  if (!signal.aborted) return response.text().catch(() => "");
  await response.body.cancel().catch(() => {});
  return "";
}

function readCredits({ headers }: Response, text: string): number | undefined {
  const inHead = headers.get("x-svc-credits-charged");
  if (inHead !== null) return text === "" ? undefined : Number(inHead);
  if (!wholeEnd.test(text)) return undefined;
  const last = [...text.matchAll(/"credits_charged":([\d.e-]+)/g)].at(-1)?.[1];
  return last === undefined ? undefined : Number(last);
}
