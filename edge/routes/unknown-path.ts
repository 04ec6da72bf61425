/** What a path that nothing serves is told: which one was meant, what to use instead, or which there are. Pure. */
import { GatewayError } from "../../shared/errors.ts";

export const versionPrefix = "/v1";

/** `:name` matches one segment, `:name{.+}` the rest. No more segments are split off than the route has. */
export function fits(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/", wanted.length + 1);
  const takesRest = pattern.endsWith("{.+}") && given.length >= wanted.length;
  const isAsLong = takesRest || given.length === wanted.length;
  return isAsLong && wanted.every((part, at) => part.startsWith(":") || part === given[at]);
}

const onlyAnswers = "there are chat completions, responses, messages, embeddings and rollouts here";

const forCredit = "use GET /v1/account/balance for the credit that is left";
const forUsage = "use GET /v1/account/usage for what was used";

/** Paths of OpenAI's, Anthropic's and OpenRouter's API that programs ask for and nothing serves, alone or with more behind them: what to do instead. */
const absent: Readonly<Record<string, string>> = {
  "/v1/completions": "send the prompt as a message to /v1/chat/completions",
  "/v1/complete": "send the prompt as a message to /v1/messages",
  "/v1/chat/completions": "no completion is kept, so use the one that POST /v1/chat/completions answers",
  "/v1/responses": "no response is kept, so use the one that POST /v1/responses answers",
  "/v1/conversations": "no conversation is kept, so send its earlier items in input",
  "/v1/assistants": "send instructions, tools and the conversation to /v1/responses",
  "/v1/threads": "no thread is kept, so send its earlier items to /v1/responses",
  "/v1/batches": "send each request by itself",
  "/v1/messages/batches": "send each request by itself",
  "/v1/files": "no file is kept, so send its content in the message",
  "/v1/uploads": "no file is kept, so send its content in the message",
  "/v1/vector_stores": "no file is kept, so keep the vectors of /v1/embeddings yourself",
  "/v1/engines": "use GET /v1/models",
  "/v1/key": forCredit,
  "/v1/auth/key": forCredit,
  "/v1/credits": forCredit,
  "/v1/dashboard/billing": forCredit,
  "/v1/usage": forUsage,
  "/v1/organization": forUsage,
  "/v1/rerank": onlyAnswers,
  "/v1/audio": onlyAnswers,
  "/v1/images": onlyAnswers,
  "/v1/videos": onlyAnswers,
  "/v1/moderations": onlyAnswers,
  "/v1/realtime": onlyAnswers,
  "/v1/fine_tuning": onlyAnswers,
  "/v1/skills": onlyAnswers,
  "/v1/evals": onlyAnswers,
  "/v1/containers": onlyAnswers,
  "/v1/chatkit": onlyAnswers,
  "/v1/agents": onlyAnswers,
  "/v1/sessions": onlyAnswers,
  "/v1/memory_stores": onlyAnswers,
};

/** Null for a path that none of them has. */
const adviseInstead = (path: string): string | null =>
  Object.entries(absent).find(([known]) => path === known || path.startsWith(`${known}/`))?.[1] ?? null;

/** Gemini's API: a version of its own, or the method behind the model's name (`/v1/models/gemini-2.5-flash:generateContent`). */
const ofGemini = /^\/v1(?:alpha|beta)|:[a-z]+(?:Contents?|Tokens)$/i;
export const isOfGemini = (path: string): boolean => ofGemini.test(path);
const insteadOfGemini =
  "Gemini's API is not spoken here: for Gemini's models too use a client of OpenAI's, with this host and /v1.";

/** Ollama's API, also behind a base URL that ends with the version. */
const ofOllama = /^(?:\/v1)?\/api\/(?:chat|embed|generate|ps|pull|show|tags|version)$/;
const insteadOfOllama =
  "Ollama's API is not spoken here: choose OpenAI's in your client, with this host and /v1.";

const addVersion = (path: string) => (path.startsWith(`${versionPrefix}/`) ? path : versionPrefix + path);

/** The path that was meant where a client's base URL is an endpoint's address: clients add their own path to it. */
function findBehindEndpoint(path: string, listed: readonly string[]): string | undefined {
  const rests = listed
    .filter((endpoint) => path.startsWith(`${endpoint}/`))
    .map((endpoint) => addVersion(path.slice(endpoint.length)));
  return rests.find((rest) => listed.some((known) => fits(known, rest)));
}

/**
 * The path that was meant where a client's base URL is another service's (`/api/v1`, `/openai/deployments/gpt-4o`). A path that begins with
 * the version is not guessed at: OpenAI has `/v1/threads/x/messages`.
 */
function findMeant(path: string, listed: readonly string[]): string | undefined {
  const ofApi = listed.filter((known) => known.startsWith(`${versionPrefix}/`));
  const tails = ofApi.map((known) => known.slice(versionPrefix.length));
  const isBehindVersion = path.startsWith(`${versionPrefix}/`);
  const meant = tails.find(
    (tail) => path.endsWith(tail) && !(isBehindVersion && tail.lastIndexOf("/") === 0),
  );
  return meant && versionPrefix + meant;
}

function explain(path: string, listed: readonly string[]): string {
  if (isOfGemini(path)) return insteadOfGemini;
  if (ofOllama.test(path)) return insteadOfOllama;
  const versioned = addVersion(path);
  const nothing = "There is nothing at this path; use";
  const meant = findMeant(path, listed);
  // `/models/:model{.+}` fits any path below it, also one that ends in another endpoint (Hugging Face's `/models/X/v1/chat/completions`).
  if ((meant ?? versioned) === versioned && listed.some((known) => fits(known, versioned)))
    return `${nothing} ${versioned}: end your client's base URL with ${versionPrefix}.`;
  const hostOnly = `your client's base URL is this host and ${versionPrefix}, with no other path`;
  const behind = findBehindEndpoint(path, listed);
  if (behind !== undefined) return `${nothing} ${behind}: ${hostOnly}.`;
  const instead = adviseInstead(versioned);
  if (instead !== null) return `This path is not served: ${instead}.`;
  if (meant === undefined) {
    const paths = new Set(listed.map((known) => known.replace("{.+}", "")));
    return `${nothing} one of ${[...paths].join(", ")}.`;
  }
  // Anthropic's clients add the version to their base URL, OpenAI's have it there: it is the same advice for both.
  const advice = path.endsWith(meant) ? "take the path before it out of your client's base URL" : hostOnly;
  return `${nothing} ${meant}: ${advice}.`;
}

/** `listed`: the paths that are told, as routes have them. */
export const explainUnknownPath = (path: string, listed: readonly string[]): GatewayError =>
  new GatewayError("not_found", explain(path, listed));
