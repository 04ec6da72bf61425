/** Brings a database to the newest schema of drizzle/. Applied files are remembered in the database itself. */
import { fileURLToPath } from "node:url";
import { createClient } from "@libsql/client/http";
import { drizzle } from "drizzle-orm/libsql/http";
import { migrate as applyMigrations } from "drizzle-orm/libsql/migrator";

/** Applies the missing migrations in one transaction; with none missing it changes nothing. */
export async function migrate(url: string, authToken?: string): Promise<void> {
  const client = createClient({ url, ...(authToken && { authToken }) });
  const migrationsFolder = fileURLToPath(new URL("../drizzle", import.meta.url));
  try {
    await applyMigrations(drizzle(client), { migrationsFolder });
  } finally {
    client.close();
  }
}
