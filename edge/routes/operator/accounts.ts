/** /v1/operator/accounts: every account, found by address or id, credited, suspended and resumed. */
import { z } from "zod";
import { toCredits, toMicro } from "../../../shared/credits.ts";
import { GatewayError } from "../../../shared/errors.ts";
import {
  addCredit,
  isTooMuchCredit,
  maxReferenceChars,
  readAccount,
  searchAccounts,
  setSuspended,
} from "../../db/accounts.ts";
import { createHandlers, type EdgeContext } from "../../middleware/context.ts";
import { noStore } from "../../middleware/no-store.ts";
import { jsonBody } from "../../middleware/request-body.ts";
import { operatorOnly } from "../../middleware/session.ts";
import { Credits, isoTime, readBody, readQuery } from "../account/account-values.ts";

const maxShown = 100;

const SearchQuery = z.strictObject({ search: z.string().trim().max(254).default("") });
const ChangeBody = z.strictObject({ suspended: z.boolean() });
const CreditBody = z.strictObject({
  amount: Credits.refine((amount) => toMicro(amount) > 0, "must be more than 0"),
  /** Names the payment: sent again, it credits nothing. */
  reference: z.string().min(1).max(maxReferenceChars).optional(),
});

type Described = NonNullable<Awaited<ReturnType<typeof readAccount>>>;

const describe = (account: Described) => ({
  account_id: account.accountId,
  email: account.email,
  balance: toCredits(account.balanceMicro),
  available: toCredits(account.availableMicro),
  open_holds: account.openHolds,
  created_at: isoTime(account.createdAt),
  suspended_at: isoTime(account.suspendedAt),
  operator: account.isOperator,
});

const noSuchAccount = () =>
  new GatewayError("not_found", "There is no account with that id; see GET /v1/operator/accounts.");

function refuseTooMuch(error: unknown): never {
  if (!isTooMuchCredit(error)) throw error;
  throw new GatewayError("invalid_request", "That is more credit than an account can hold; add less.");
}

/** The account of the path as it is now. Throws not_found. */
async function answerAccount(context: EdgeContext): Promise<Response> {
  const found = await readAccount(context.var.services.database, context.req.param("id")!);
  if (found === undefined) throw noSuchAccount();
  return context.json(describe(found));
}

const list = createHandlers(noStore, operatorOnly, async (context) => {
  const { search } = readQuery(SearchQuery, context);
  const found = await searchAccounts(context.var.services.database, search, maxShown);
  return context.json({ object: "list", data: found.map(describe) });
});

const change = createHandlers(noStore, operatorOnly, jsonBody, async (context) => {
  const { services, account, logFields } = context.var;
  const { suspended } = readBody(ChangeBody, context.var.body);
  const accountId = context.req.param("id")!;
  logFields.changed_account_id = accountId;
  if (suspended && accountId === account.accountId)
    throw new GatewayError(
      "invalid_request",
      "That is your own account; ask another operator to suspend it.",
    );
  if (!(await setSuspended(services.database, accountId, suspended ? services.now() : null)))
    throw noSuchAccount();
  return answerAccount(context);
});

const credit = createHandlers(noStore, operatorOnly, jsonBody, async (context) => {
  const { services, account, logFields } = context.var;
  const { amount, reference } = readBody(CreditBody, context.var.body);
  const accountId = context.req.param("id")!;
  logFields.changed_account_id = accountId;
  const reason = `added by the operator ${account.accountId}`;
  const added = await addCredit(services.database, {
    accountId,
    amountMicro: toMicro(amount),
    reference,
    reason,
    now: services.now(),
  }).catch(refuseTooMuch);
  if (added === undefined) throw noSuchAccount();
  if (added !== toMicro(amount))
    throw new GatewayError("invalid_request", "This payment was credited before, with another amount.");
  return answerAccount(context);
});

export const operatorAccounts = { list, change, credit };
