/** Builds the edge as one module for a bare workerd and the console's files, with workerd's configuration. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, stop } from "esbuild";
import { buildConsole } from "../console/build-console.ts";
import type { EdgeVariables } from "./edge-variables.ts";
import { StartError } from "./settings.ts";
import { buildWorkerConfig, readWorkerSettings } from "./worker-config.ts";

/**
 * @returns the path of workerd's configuration; bundle and configuration are written to `directory`
 * @throws StartError if they cannot be built: the disk is full, or a file of the checkout is missing
 */
export async function bundleEdge(root: string, directory: string, variables: EdgeVariables): Promise<string> {
  const settings = readWorkerSettings(await readFile(join(root, "wrangler.toml"), "utf8"));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const assets = join(directory, "console");
  // Both have ended before a failure is reported: nothing writes to `directory` afterwards.
  const built = await Promise.allSettled([
    buildConsole(root, assets),
    bundleModule(root, settings.main, join(directory, "edge.js")),
  ]);
  // esbuild's process would stay beside the service, with 22 MiB.
  await stop();
  const failed = built.find((result) => result.status === "rejected");
  if (failed !== undefined) {
    throw new StartError(`the edge could not be built. ${(failed.reason as Error).message}`);
  }
  const config = join(directory, "edge.capnp");
  await writeFile(config, buildWorkerConfig(settings, "edge.js", assets, variables));
  return config;
}

async function bundleModule(root: string, entry: string, outfile: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2024",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "error",
  });
}
