/** Signing in with GitHub, or a GitHub Enterprise of the operator's: an OAuth app that reads the id and the primary address. */
import { z } from "zod";
import { readEmailAddress } from "./email-address.ts";
import { type IdentityRow, refuseIdentity } from "./identity.ts";
import { buildCodeAddress, exchangeCode, readJson } from "./oauth.ts";

const publicUrl = "https://github.com";
const provider = "github";

const User = z.object({ id: z.int().positive() });
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

const apiOf = (baseUrl: string | undefined) =>
  baseUrl === undefined ? "https://api.github.com" : `${baseUrl}/api/v3`;

export const github: IdentityRow = {
  buildAddress: (authorization) =>
    buildCodeAddress(`${authorization.settings.baseUrl ?? publicUrl}/login/oauth/authorize`, authorization, {
      scope: "user:email",
    }),

  async identify(callback, { fetch: send }) {
    const { baseUrl } = callback.settings;
    const asked = { provider, send } as const;
    const token = await exchangeCode(asked, `${baseUrl ?? publicUrl}/login/oauth/access_token`, callback);
    const headers = {
      authorization: `Bearer ${token.access_token}`,
      accept: "application/vnd.github+json",
      "user-agent": "svc",
    };
    const [user, emails] = await Promise.all([
      readJson(asked, `${apiOf(baseUrl)}/user`, { headers }),
      readJson(asked, `${apiOf(baseUrl)}/user/emails`, { headers }),
    ]);
    // A missing list is not an empty one: an account made without its address would stay this person's for good.
    const known = User.safeParse(user.body);
    const listed = Emails.safeParse(emails.body);
    if (!known.success || !listed.success) throw refuseIdentity(provider, "profile-refused");
    const primary = listed.data.find((entry) => entry.primary && entry.verified);
    return {
      subject: String(known.data.id),
      email: primary && readEmailAddress(primary.email),
      proof: callback.answer,
    };
  },
};
