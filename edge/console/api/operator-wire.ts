/** The operator's endpoints as the page reads them. */
import * as z from "zod/mini";
import { callApi } from "./call-api.ts";

const OperatedAccount = z.object({
  account_id: z.string(),
  email: z.string(),
  balance: z.number(),
  available: z.number(),
  created_at: z.nullable(z.string()),
  suspended_at: z.nullable(z.string()),
  operator: z.boolean(),
});
export type OperatedAccount = z.infer<typeof OperatedAccount>;
const Accounts = z.object({ data: z.array(OperatedAccount) });

const Books = z.object({
  ok: z.boolean(),
  days: z.array(
    z.object({
      day: z.string(),
      model: z.string(),
      requests: z.number(),
      charged: z.number(),
      reported_cost: z.number(),
      margin: z.number(),
      flagged: z.number(),
    }),
  ),
});
export type BookedDay = z.infer<typeof Books>["days"][number];

const Workers = z.object({
  data: z.array(
    z.object({
      url: z.string(),
      healthy: z.boolean(),
      sizes: z.array(z.string()),
      device: z.nullable(z.string()),
      checkpoint: z.nullable(z.string()),
      queued: z.nullable(z.number()),
      plans_done: z.nullable(z.number()),
    }),
  ),
});
const Errors = z.object({
  since: z.string(),
  /** Whether these are all requests of the service, or only those of one isolate. */
  whole: z.boolean(),
  requests: z.number(),
  data: z.array(z.object({ code: z.string(), status: z.number(), count: z.number() })),
});
export type CountedErrors = z.infer<typeof Errors>;

export type OperatedWorker = z.infer<typeof Workers>["data"][number];

const path = "/v1/operator";
const accountPath = (id: string) => `${path}/accounts/${encodeURIComponent(id)}`;

export const searchAccounts = (search: string) =>
  callApi(`${path}/accounts?${new URLSearchParams({ search })}`, Accounts);
export const setSuspended = (id: string, suspended: boolean) =>
  callApi(accountPath(id), OperatedAccount, { method: "PATCH", body: { suspended } });
export const addCredits = (id: string, amount: number, reference: string) =>
  callApi(`${accountPath(id)}/credits`, OperatedAccount, { method: "POST", body: { amount, reference } });
export const readBooks = () => callApi(`${path}/books`, Books);
export const readErrors = () => callApi(`${path}/errors`, Errors);
export const readWorkers = () => callApi(`${path}/workers`, Workers);
