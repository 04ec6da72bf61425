/** The edge as one module for a bare workerd, with the configuration that serves it. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import type { EdgeVariables } from "./edge-variables.ts";
import { buildWorkerConfig, readWorkerSettings } from "./worker-config.ts";

/** @returns the path of workerd's configuration; bundle and configuration lie in `directory` */
export async function bundleEdge(root: string, directory: string, variables: EdgeVariables): Promise<string> {
  const settings = readWorkerSettings(await readFile(join(root, "wrangler.toml"), "utf8"));
  await mkdir(directory, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: [settings.main],
    outfile: join(directory, "edge.js"),
    bundle: true,
    format: "esm",
    target: "es2024",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "error",
  });
  const config = join(directory, "edge.capnp");
  await writeFile(config, buildWorkerConfig(settings, "edge.js", variables));
  return config;
}
