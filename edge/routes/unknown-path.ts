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

/**
 * The path that was meant where a client's base URL is wrong: one without version, or another service's (`/api/v1`,
 * `/openai/deployments/gpt-4o`). Behind the version nothing is left to guess: OpenAI has `/v1/threads/x/messages`.
 */
function findMeant(path: string, served: readonly string[]): string | undefined {
  const versioned = versionPrefix + path;
  if (served.some((known) => fits(known, versioned))) return versioned;
  if (path.startsWith(`${versionPrefix}/`)) return undefined;
  const ofApi = served.filter((known) => known.startsWith(`${versionPrefix}/`));
  return ofApi.find((known) => path.endsWith(known.slice(versionPrefix.length)));
}

/** `served`: every path there is, as routes have them; `listed`: those that are told where none is meant. */
export function explainUnknownPath(
  path: string,
  { served, listed }: Record<"served" | "listed", readonly string[]>,
): GatewayError {
  const told = absent.find((entry) => fits(entry.path, path));
  if (told !== undefined) return new GatewayError("not_found", `This path is not served: ${told.instead}.`);
  const meant = findMeant(path, served);
  if (meant !== undefined) {
    const advice =
      meant === versionPrefix + path
        ? `end your client's base URL with ${versionPrefix}`
        : `your client's base URL is this host and ${versionPrefix}, with no other path`;
    return new GatewayError("not_found", `There is nothing at this path; use ${meant}: ${advice}.`);
  }
  const paths = [...new Set(listed.map((known) => known.replace("{.+}", "")))].join(", ");
  return new GatewayError("not_found", `There is nothing at this path; use one of ${paths}.`);
}
