/** The last good copy of an outside model list, one per source: what a restart reads when the source is down. */
import { eq, sql } from "drizzle-orm";
import { build, type Database, prepare, value } from "./client.ts";
import { catalogSnapshots } from "./schema.ts";

export type CatalogSnapshot = { source: string; body: string; fetchedAt: number };

const selectSnapshot = prepare(
  build
    .select()
    .from(catalogSnapshots)
    .where(eq(catalogSnapshots.source, value("source"))),
);

/** The stored copy, or undefined when none was ever written. */
export async function readCatalogSnapshot(
  database: Database,
  source: string,
): Promise<CatalogSnapshot | undefined> {
  const [snapshot] = await database.execute(selectSnapshot, { source });
  return snapshot;
}

const selectAge = prepare(
  build
    .select({ fetchedAt: catalogSnapshots.fetchedAt })
    .from(catalogSnapshots)
    .where(eq(catalogSnapshots.source, value("source"))),
);

/** Whether a copy was ever stored; the copy itself is not read. */
export async function hasCatalogSnapshot(database: Database, source: string): Promise<boolean> {
  return (await database.execute(selectAge, { source })).length > 0;
}

/** A stored copy dated further ahead was written by a wrong clock. If it were kept, prices would not change until that time. */
const maxAheadMs = 3_600_000;

const upsertSnapshot = prepare(
  build.run(sql`
    INSERT INTO catalog_snapshots (source, body, fetched_at)
    VALUES (${value("source")}, ${value("body")}, ${value("fetchedAt")})
    ON CONFLICT (source) DO UPDATE SET body = excluded.body, fetched_at = excluded.fetched_at
    WHERE excluded.fetched_at >= catalog_snapshots.fetched_at
      OR catalog_snapshots.fetched_at > excluded.fetched_at + ${sql.raw(String(maxAheadMs))}`),
);

/** Stores a copy, unless a newer copy is stored that is not dated ahead. `fetchedAt` is Unix milliseconds. */
export async function writeCatalogSnapshot(database: Database, snapshot: CatalogSnapshot): Promise<void> {
  await database.execute(upsertSnapshot, snapshot);
}
