/**
 * What a page's script does with `fetch`: the call itself and, for machines without a browser, the rules a
 * browser lays around it (preflight, exposed headers), step by step after the Fetch standard.
 */

export type PageRequest = {
  url: string;
  apiKey: string;
  body: object;
  /** Ends the request once the answer contains this; empty: lets it run. */
  leaveAt: string;
};

export type PageAnswer = {
  /** 0 where the browser refused to hand the answer to the script. */
  status: number;
  requestId: string | null;
  text: string;
};

/** Runs inside the page: nothing from outside its body may be used. */
export async function fetchInPage(request: PageRequest): Promise<PageAnswer> {
  const answer: PageAnswer = { status: 0, requestId: null, text: "" };
  const abort = new AbortController();
  try {
    const response = await fetch(request.url, {
      method: "POST",
      headers: { authorization: `Bearer ${request.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(request.body),
      signal: abort.signal,
    });
    answer.status = response.status;
    answer.requestId = response.headers.get("x-request-id");
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      answer.text += next.value;
      if (request.leaveAt !== "" && answer.text.includes(request.leaveAt)) abort.abort();
    }
  } catch {
    // Refused by the browser, or ended by ourselves: what there is says which.
  }
  return answer;
}

/** The same from Node, with the browser's part done by hand. */
export async function fetchByHand(origin: string, request: PageRequest): Promise<PageAnswer> {
  const preflight = await fetch(request.url, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    },
  });
  const listed = (name: string) => (preflight.headers.get(name) ?? "").toLowerCase().split(/\s*,\s*/);
  const allowed =
    preflight.ok &&
    ["*", origin].includes(preflight.headers.get("access-control-allow-origin") ?? "") &&
    ["authorization", "content-type"].every((name) => listed("access-control-allow-headers").includes(name));
  return allowed ? fetchInPage(request) : { status: 0, requestId: null, text: "" };
}
