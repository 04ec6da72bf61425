/** A migrated sqld for each worker of a project; a test's own is `databaseUrl` in test/edge/support/database-url.ts. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { migrate } from "../../scripts/migrate.ts";
import { startSqld } from "../../scripts/self-host/sqld.ts";
import type {} from "../edge/support/provided-context.d.ts";

async function startDatabase(): Promise<{ url: string; stop: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "svc-sqld-"));
  const sqld = await startSqld({ directory, port: 0 });
  const stop = async () => {
    await sqld.stop();
    await rm(directory, { recursive: true, force: true });
  };
  await migrate(sqld.url).catch(async (error) => {
    await stop();
    throw error;
  });
  return { url: sqld.url, stop };
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const workers = Number(project.config.maxWorkers || project.vitest.config.maxWorkers);
  const databases = await Promise.all(Array.from({ length: workers }, startDatabase));
  project.provide(
    "libsqlUrls",
    databases.map(({ url }) => url),
  );
  project.provide("propertyRuns", Number(process.env.PROPERTY_RUNS ?? 40));
  project.provide("propertySeed", Number(process.env.PROPERTY_SEED ?? Date.now() % 1_000_000));
  project.provide("fuzzRuns", Number(process.env.FUZZ_RUNS ?? 400));
  project.provide("generatedStreams", Number(process.env.GENERATED_STREAMS ?? 1000));
  return async () => {
    await Promise.all(databases.map(({ stop }) => stop()));
  };
}
