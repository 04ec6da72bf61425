/**
 * Sends a code by the operator's mail provider: one POST to its HTTP API. Providers differ in three things, so each is a row of a
 * table; an API with an unknown address is called as Resend's is.
 */
import type { Mail } from "../sign-in-settings.ts";

const timeoutMs = 10_000;

export type Letter = { to: string; subject: string; text: string };
type MailApi = {
  host: string;
  authorize: (key: string) => Record<string, string>;
  write: (from: string, letter: Letter) => object;
};

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const resend: MailApi = {
  host: "api.resend.com",
  authorize: bearer,
  write: (from, { to, ...letter }) => ({ from, to: [to], ...letter }),
};
const mailApis: readonly MailApi[] = [
  resend,
  {
    host: "api.postmarkapp.com",
    authorize: (key) => ({ "x-postmark-server-token": key, accept: "application/json" }),
    write: (from, { to, subject, text }) => ({ From: from, To: to, Subject: subject, TextBody: text }),
  },
  {
    host: "api.sendgrid.com",
    authorize: bearer,
    write: (from, { to, subject, text }) => ({
      personalizations: [{ to: [{ email: to }] }],
      from: readSender(from),
      subject,
      content: [{ type: "text/plain", value: text }],
    }),
  },
];

/** `Name <address>` or an address alone. */
function readSender(from: string): { email: string; name?: string } {
  const [, name, email] = /^(.*?)\s*<([^<>]+)>$/.exec(from) ?? [];
  if (email === undefined) return { email: from };
  return { email, ...(name && { name }) };
}

/**
 * How the letter may name this service. Whoever asks for a code also writes the request's host, so it is named only if it is of the
 * sender's own domain: else anybody could have the operator's mail name a page of theirs to any address.
 */
function nameOf(host: string, from: string): string | undefined {
  const domain = readSender(from).email.split("@").at(-1)!.toLowerCase();
  const name = host.replace(/:\d+$/, "");
  return name === domain || name.endsWith(`.${domain}`) ? host : undefined;
}

/** The mail's text. The code stands first, where a phone's notification shows it. `host`: as the request has it, which may be forged. */
export function writeLetter(to: string, code: string, host: string, from: string): Letter {
  const name = nameOf(host, from);
  return {
    to,
    subject: `${code} is your sign-in code`,
    text:
      `Your ${name === undefined ? "sign-in code" : `code for ${name}`} is ${code}. It works for ten minutes, in the window you asked for it in.\n\n` +
      "If you did not ask for it, somebody typed your address by mistake: nothing happens without the code, so tell it to nobody.\n",
  };
}

/** @returns undefined if the provider accepted it, else a tag for the operator's log: never its words, which may quote the mail */
export async function sendLetter(
  { url, key, from }: Extract<Mail, { kind: "api" }>,
  letter: Letter,
  send: typeof fetch,
): Promise<string | undefined> {
  const api = mailApis.find(({ host }) => host === new URL(url).host) ?? resend;
  try {
    const response = await send(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...api.authorize(key) },
      body: JSON.stringify(api.write(from, letter)),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `status-${response.status}`;
  } catch {
    return "unreachable";
  }
}
