/** The fake GitHub, Google and Telegram on loopback, with the page on which a person agrees or declines. */
import { createServer } from "node:http";
import { createFakeIdentities, type FakeIdentities, type Person, secrets } from "./fake-identities.ts";
import { listenOnLoopback } from "./loopback.ts";

export type IdentityServer = FakeIdentities & {
  /** The variables that lead the service here. */
  variables: Record<string, string>;
  /** Who sits at the browser. */
  setPerson(person: Person): void;
  stop(): Promise<void>;
};

const asksPerson = ["/github/login/oauth/authorize", "/google/o/oauth2/v2/auth", "/telegram/auth"];

/** The address to which each provider sends a person who declines. */
function decline({ pathname, searchParams }: URL): string {
  if (pathname === "/telegram/auth") return `${searchParams.get("return_to")}#tgAuthResult=ZmFsc2U`;
  return `${searchParams.get("redirect_uri")}?error=access_denied&error_description=canary&state=${searchParams.get("state")}`;
}

export async function startIdentityServer(): Promise<IdentityServer> {
  let fake: FakeIdentities | undefined;
  let person: Person | undefined;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, `http://${request.headers.host}`);
    if (asksPerson.includes(url.pathname)) {
      const link = (name: string, to: string) => `<p><a href="${to.replaceAll("&", "&amp;")}">${name}</a>`;
      const page = link("Authorize", await fake!.agree(url.href, person!)) + link("Cancel", decline(url));
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(`<!doctype html><title>Asks</title>${page}`);
      return;
    }
    let body = "";
    for await (const part of request) body += part;
    const answer = await fake!.answer(url.href, new Headers(request.headers as Record<string, string>), body);
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  const { url, stop } = await listenOnLoopback(server);
  fake = await createFakeIdentities(url);
  const { github, google, telegram } = fake.settings;
  return {
    ...fake,
    variables: {
      GITHUB_CLIENT_ID: github.clientId,
      GITHUB_CLIENT_SECRET: github.secret,
      GITHUB_SIGN_IN_URL: github.baseUrl,
      GOOGLE_CLIENT_ID: google.clientId,
      GOOGLE_CLIENT_SECRET: google.secret,
      GOOGLE_SIGN_IN_URL: google.baseUrl,
      TELEGRAM_BOT_TOKEN: secrets.telegram,
      TELEGRAM_SIGN_IN_URL: telegram.baseUrl,
    },
    setPerson: (next) => {
      person = next;
    },
    stop,
  };
}
