/** One migrated sqld for all tests of a project; tests get its address by `inject("libsqlUrl")`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { migrate } from "../../scripts/migrate.ts";
import { startSqld } from "../../scripts/self-host/sqld.ts";
import type {} from "../edge/support/provided-context.d.ts";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
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
  project.provide("libsqlUrl", sqld.url);
  project.provide("propertyRuns", Number(process.env.PROPERTY_RUNS ?? 40));
  project.provide("propertySeed", Number(process.env.PROPERTY_SEED ?? Date.now() % 1_000_000));
  project.provide("fuzzRuns", Number(process.env.FUZZ_RUNS ?? 400));
  project.provide("generatedStreams", Number(process.env.GENERATED_STREAMS ?? 1000));
  return stop;
}
