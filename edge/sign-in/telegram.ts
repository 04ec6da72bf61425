/**
 * Signing in with Telegram by the redirect form of its login widget, which loads nothing of Telegram's into our page. It sends
 * the browser back with fields signed with the bot's token (core.telegram.org/widgets/login). They are not bound to an attempt:
 * so the return address carries the attempt's state, and the fields count for minutes only, and once.
 */
import { base64url } from "jose";
import { z } from "zod";
import { type IdentityRow, refuseIdentity } from "./identity.ts";

const provider = "telegram";
const publicUrl = "https://oauth.telegram.org";
const maxAgeMs = 300_000;
const clockSkewMs = 60_000;

const Fields = z
  .object({
    id: z.union([z.int().positive(), z.string().regex(/^\d{1,20}$/)]),
    auth_date: z.union([z.int(), z.string().regex(/^\d{1,12}$/)]),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
  })
  .catchall(z.union([z.string(), z.number()]));

function readFields(answer: string): z.infer<typeof Fields> | undefined {
  try {
    const text = new TextDecoder().decode(base64url.decode(answer));
    return Fields.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const encode = (text: string) => new TextEncoder().encode(text);

/** Checks the HMAC-SHA-256 of the fields, sorted by name, with the SHA-256 of the token as key. */
async function isSigned(fields: z.infer<typeof Fields>, botToken: string): Promise<boolean> {
  const { hash, ...signed } = fields;
  const lines = Object.keys(signed)
    .sort()
    .map((name) => `${name}=${signed[name]}`);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = await crypto.subtle.digest("SHA-256", encode(botToken));
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["verify"]);
  const bytes = Uint8Array.from(hash.match(/../g)!, (pair) => Number.parseInt(pair, 16));
  return crypto.subtle.verify("HMAC", key, bytes, encode(lines.join("\n")));
}

export const telegram: IdentityRow = {
  async buildAddress({ settings, attempt, redirectUri }) {
    const url = new URL(`${settings.baseUrl ?? publicUrl}/auth`);
    url.searchParams.set("bot_id", settings.clientId);
    url.searchParams.set("origin", new URL(redirectUri).origin);
    url.searchParams.set("return_to", `${redirectUri}?state=${attempt.state}`);
    return url;
  },

  async identify({ settings, answer }, { now }) {
    const fields = readFields(answer);
    // Telegram sends `false` if the person declined.
    if (fields === undefined) throw refuseIdentity(provider, "malformed");
    if (!(await isSigned(fields, settings.secret))) throw refuseIdentity(provider, "hash");
    const ageMs = now() - Number(fields.auth_date) * 1000;
    if (ageMs > maxAgeMs || ageMs < -clockSkewMs) throw refuseIdentity(provider, "expired");
    return { subject: String(fields.id), email: undefined, proof: fields.hash };
  },
};
