/** An error as the one sentence that an operator reads. */
import { isTooMuchCredit } from "../../edge/db/accounts.ts";
import { DatabaseError, isDatabaseBusy } from "../../edge/db/connection.ts";
import { ConfigError } from "../../edge/env.ts";
import { MigrationError } from "../migrate.ts";
import { StartError } from "../self-host/settings.ts";
import { DirectoryInUseError } from "../self-host/sqld-lock.ts";

/** A mistake in the command, or a refusal by the service's rules: its message explains it fully. */
export class AdminError extends Error {
  override readonly name = "AdminError";
}

const explained = [AdminError, StartError, DirectoryInUseError, ConfigError, MigrationError];

export function explainFailure(error: unknown): string {
  if (explained.some((kind) => error instanceof kind)) return (error as Error).message;
  if (error instanceof DatabaseError) return explainDatabase(error);
  return `The command failed: ${error instanceof Error ? error.message : String(error)}`;
}

export function explainDatabase(error: DatabaseError): string {
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(error.code))
    return `The database is damaged (${error.code}): restore it from its backup (docs/operating.md, "Back up and restore").`;
  if (error.message.includes("no such table")) {
    return "The database has no tables yet: run npm run admin -- migrate, or npm start once.";
  }
  if (isTooMuchCredit(error)) return "That is more credit than an account can hold.";
  if (error.code === "RESPONSE_TOO_LARGE")
    return "That is more than the database sends in one answer: ask for less, with --limit or --days.";
  if (error.unavailable) {
    const sentence = /^SQLITE_(IOERR|FULL)/.test(error.code)
      ? `The database cannot write (${error.code}): mostly its disk is full. Make room, and try again.`
      : `The database does not answer (${error.code}): check LIBSQL_URL and LIBSQL_AUTH_TOKEN, or try again.`;
    return isDatabaseBusy(error)
      ? sentence
      : `${sentence} A change may have been made all the same: look first.`;
  }
  return `The database refused: ${error.message}.`;
}
