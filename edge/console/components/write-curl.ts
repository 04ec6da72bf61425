/** A request of the API as a curl command. It names the variable that holds the key, never the key. Pure. */

/** Inside single quotes of a POSIX shell nothing is special but the quote itself. */
const quoteShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * @param origin where the service is, such as https://svc.example
 * @param path such as /v1/rollout
 * @param body sent as JSON; with `stream: true` curl shows each piece as it arrives
 */
export const writeCurl = (origin: string, path: string, body: Readonly<Record<string, unknown>>): string =>
  [
    `curl ${body.stream === true ? "-N " : ""}${quoteShell(`${origin}${path}`)} \\`,
    `  -H "Authorization: Bearer $SVC_API_KEY" -H "Content-Type: application/json" \\`,
    `  -d ${quoteShell(JSON.stringify(body))}`,
  ].join("\n");
