/** Brings a database to the newest schema of drizzle/. The database itself records which files were applied. */
import { fileURLToPath } from "node:url";
import { createClient } from "@libsql/client/http";
import { drizzle } from "drizzle-orm/libsql/http";
import { migrate as applyMigrations } from "drizzle-orm/libsql/migrator";

/** Why a database could not be migrated, in one sentence. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** A refusal may contain a whole page of its server. */
const maxReasonChars = 300;

/** drizzle's own message is the statement that failed; the reason is at the end of the chain of causes. */
function readReason(error: unknown): string {
  const { cause, message, code } = error as { cause?: unknown; message?: string; code?: string };
  return cause === undefined ? message || code || "no reason was given" : readReason(cause);
}

/** Applies the missing migrations in one transaction; does nothing if none is missing. @throws MigrationError */
export async function migrate(url: string, authToken?: string): Promise<void> {
  const client = createClient({ url, ...(authToken && { authToken }) });
  const migrationsFolder = fileURLToPath(new URL("../drizzle", import.meta.url));
  const apply = () => applyMigrations(drizzle(client), { migrationsFolder });
  try {
    // If another process migrates at the same moment, one of the two transactions fails as a whole. The second time nothing is missing.
    await apply().catch(apply);
  } catch (error) {
    const reason = readReason(error)
      .replaceAll(authToken || "\0", "***")
      .slice(0, maxReasonChars);
    throw new MigrationError(
      `The database could not be migrated: ${reason}. Check LIBSQL_URL and LIBSQL_AUTH_TOKEN.`,
    );
  } finally {
    client.close();
  }
}
