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

/** Paths of OpenAI's API that programs ask for and nothing serves, with what to do. */
const absent: readonly { path: string; instead: string }[] = [
  { path: "/v1/completions", instead: "send the prompt as a message to /v1/chat/completions" },
  {
    path: "/v1/responses/:id{.+}",
    instead: "no response is kept, so use the one that POST /v1/responses answers",
  },
];

const addVersion = (path: string) => (path.startsWith(`${versionPrefix}/`) ? path : versionPrefix + path);

/** The path that was meant where a client's base URL is an endpoint's address: clients add their own path to it. */
function findBehindEndpoint(path: string, listed: readonly string[]): string | undefined {
  const rests = listed
    .filter((endpoint) => path.startsWith(`${endpoint}/`))
    .map((endpoint) => addVersion(path.slice(endpoint.length)));
  return rests.find((rest) => listed.some((known) => fits(known, rest)));
}

/**
 * The path that was meant where a client's base URL is another service's (`/api/v1`, `/openai/deployments/gpt-4o`). Behind the
 * version nothing is left to guess: OpenAI has `/v1/threads/x/messages`.
 */
function findMeant(path: string, listed: readonly string[]): string | undefined {
  if (path.startsWith(`${versionPrefix}/`)) return undefined;
  const ofApi = listed.filter((known) => known.startsWith(`${versionPrefix}/`));
  return ofApi.find((known) => path.endsWith(known.slice(versionPrefix.length)));
}

function explain(path: string, listed: readonly string[]): string {
  const versioned = addVersion(path);
  const nothing = "There is nothing at this path; use";
  if (listed.some((known) => fits(known, versioned)))
    return `${nothing} ${versioned}: end your client's base URL with ${versionPrefix}.`;
  const hostOnly = `your client's base URL is this host and ${versionPrefix}, with no other path`;
  const behind = findBehindEndpoint(path, listed);
  if (behind !== undefined) return `${nothing} ${behind}: ${hostOnly}.`;
  const told = absent.find((entry) => fits(entry.path, versioned));
  if (told !== undefined) return `This path is not served: ${told.instead}.`;
  const meant = findMeant(path, listed);
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
