/** The operator's commands on accounts and their credit. */
import {
  addCredit,
  createAccount,
  listAccounts,
  maxReferenceChars,
  searchAccounts,
  setOperator,
  setSuspended,
} from "../../edge/db/accounts.ts";
import type { Database } from "../../edge/db/client.ts";
import { maxAddressChars, readEmailAddress } from "../../edge/sign-in/email-address.ts";
import { toCredits } from "../../shared/credits.ts";
import { randomId } from "../../shared/hex.ts";
import { createSignInLink } from "../sign-in-link.ts";
import {
  account,
  type Command,
  creditAmount,
  isoTime,
  noAccount,
  type Option,
  readLimit,
  showAccount,
} from "./command.ts";
import { parseCreditsMicro } from "./credits.ts";
import { AdminError } from "./failure.ts";

const reference: Option = {
  value: "R",
  meaning:
    "your name of the payment, such as an invoice's number: sent again for the account, it credits nothing",
  optional: true,
  maxChars: maxReferenceChars,
};

/** Accounts with this address, newest first. */
async function listAccountsOf(database: Database, email: string): Promise<string[]> {
  const found = await searchAccounts(database, email, maxNamesakes);
  return found.filter((one) => one.email.toLowerCase() === email.toLowerCase()).map((one) => one.accountId);
}

/** Most accounts that are searched: the search also finds addresses that only contain the wanted one. */
const maxNamesakes = 1_000;

const ownerAddress: Option = { value: "E", meaning: "where its owner is reached", maxChars: maxAddressChars };

/** What the operator should know of a new account, as its owner would learn it only at sign-in; undefined: nothing. */
function noteOf(email: string, oldest: string | undefined): string | undefined {
  if (readEmailAddress(email) === undefined)
    return "No code for signing in can be sent to this address: make its owner a link (account sign-in-link), or create the account with another.";
  if (oldest === undefined) return undefined;
  return `${oldest} has this address, too, and is older: codes sent to the address sign in to that account.`;
}

/** Suspends or resumes an account. */
const suspension = (name: string, summary: string, suspended: boolean): Command => ({
  name,
  summary,
  options: { account },
  async run({ database, now, options }) {
    if (!(await setSuspended(database, options.account!, suspended ? now : null)))
      throw noAccount(options.account);
    return { output: await showAccount(database, options.account!) };
  },
});

export const accountCommands: readonly Command[] = [
  {
    name: "account create",
    summary: "Creates an account and gives it credit",
    options: { email: ownerAddress, credits: creditAmount },
    makesDatabase: true,
    async run({ database, now, options: { email, credits: amount } }) {
      if (!/^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(email!))
        throw new AdminError(`"${email}" is not an e-mail address.`);
      const creditMicro = parseCreditsMicro(amount!);
      const [oldest] = (await listAccountsOf(database, email!)).slice(-1);
      const accountId = `acct_${randomId()}`;
      await createAccount(database, { accountId, email: email!, creditMicro, now });
      const created = { account_id: accountId, email, balance: toCredits(creditMicro) };
      const note = noteOf(email!, oldest);
      return { output: note === undefined ? created : { ...created, note } };
    },
  },
  {
    name: "account show",
    summary: "Shows an account, its balance, and how much of that is available (not held by open requests)",
    options: { account },
    async run({ database, options }) {
      return { output: await showAccount(database, options.account!) };
    },
  },
  {
    name: "account list",
    summary: "Lists the accounts, newest first",
    options: { limit: { value: "N", meaning: "how many at most", fallback: "100" } },
    async run({ database, options }) {
      const found = await listAccounts(database, readLimit(options.limit!));
      return {
        output: {
          accounts: found.map((account) => ({
            account_id: account.accountId,
            email: account.email,
            balance: toCredits(account.balanceMicro),
            created_at: isoTime(account.createdAt),
            suspended_at: isoTime(account.suspendedAt),
          })),
        },
      };
    },
  },
  suspension("account suspend", "Refuses every request of an account until it is resumed", true),
  suspension("account resume", "Lifts the suspension of an account", false),
  {
    name: "account operator",
    summary: "Gives an account access to the operator's pages; --off takes it away",
    options: { account, off: { meaning: "takes the access away" } },
    async run({ database, options }) {
      if (!(await setOperator(database, options.account!, options.off === undefined)))
        throw noAccount(options.account);
      return { output: await showAccount(database, options.account!) };
    },
  },
  {
    name: "account sign-in-link",
    summary: "Creates a link that signs in to an account's console, valid once and for one day",
    options: { account },
    async run({ database, now, options }) {
      const link = await createSignInLink(database, options.account!, now);
      if (link === undefined) throw noAccount(options.account);
      return { output: { path: link.path, expires_at: isoTime(link.expiresAt) } };
    },
  },
  {
    name: "credits add",
    summary: "Adds credit to an account",
    options: { account, amount: creditAmount, reference },
    async run({ database, now, options: { account: id, amount, reference: named } }) {
      const amountMicro = parseCreditsMicro(amount!);
      if (amountMicro === 0) throw new AdminError("Nothing to add: --amount must be more than 0.");
      const credit = { accountId: id!, amountMicro, reference: named, reason: "added by the operator", now };
      const credited = await addCredit(database, credit);
      if (credited === undefined) throw noAccount(id);
      if (credited !== amountMicro)
        throw new AdminError(`${named} was credited before, with another amount: ${toCredits(credited)}.`);
      return { output: await showAccount(database, id!) };
    },
  },
];
