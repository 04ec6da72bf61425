/** The identities by which an account signs in, as its owner sees and unlinks them. */
import type { TestBrowser } from "./browser.ts";
import { identitiesPath } from "./identity-scene.ts";

type Ways = {
  email: string | null;
  data: { provider: string; subject: string; linked_at: string; removable: boolean }[];
};
export const waysOf = async (browser: TestBrowser): Promise<Ways> =>
  (await browser.ask(identitiesPath)).json();
export const accountOf = async (browser: TestBrowser) => (await browser.session()).account_id;

export const unlink = (
  browser: TestBrowser,
  provider: string,
  subject: string,
  headers?: Record<string, string>,
) =>
  browser.ask(`${identitiesPath}?${new URLSearchParams({ provider, subject })}`, {
    method: "DELETE",
    ...(headers && { headers }),
  });
