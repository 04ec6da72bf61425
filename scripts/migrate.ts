/** Brings a database to the newest schema of drizzle/. Applied files are remembered in the database itself. */
import { fileURLToPath } from "node:url";
import { createClient } from "@libsql/client/http";
import { drizzle } from "drizzle-orm/libsql/http";
import { migrate as applyMigrations } from "drizzle-orm/libsql/migrator";

/** Why a database was not migrated, in one sentence for who named it. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** A refusal may bring a page of its server's. */
const maxReasonChars = 300;

/** drizzle's own message is the statement it could not run; what went wrong lies at the end of the chain of causes. */
function readReason(error: unknown): string {
  const { cause, message, code } = error as { cause?: unknown; message?: string; code?: string };
  return cause === undefined ? message || code || "no reason was given" : readReason(cause);
}

/** Applies the missing migrations in one transaction; with none missing it changes nothing. @throws MigrationError */
export async function migrate(url: string, authToken?: string): Promise<void> {
  const client = createClient({ url, ...(authToken && { authToken }) });
  const migrationsFolder = fileURLToPath(new URL("../drizzle", import.meta.url));
  const apply = () => applyMigrations(drizzle(client), { migrationsFolder });
  try {
    // Where another process migrated at the same moment, this one's transaction failed as a whole, and the second time nothing is missing.
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
