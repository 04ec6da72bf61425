/**
 * The database of the worker that this file runs in. Files that run at the same time have one each, since a sweep or the ledger's
 * check reads every account; those that follow each other in one worker share it.
 */
import { inject } from "vitest";

export const databaseUrl = inject("libsqlUrls")[Number(process.env.VITEST_POOL_ID) - 1]!;
