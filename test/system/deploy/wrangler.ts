/** wrangler as an operator runs it, in the checkout: `deploy --dry-run`, and `dev`, which is the Worker on miniflare. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { untilLine } from "../../../scripts/self-host/spawn.ts";
import { root } from "../../support/service.ts";

const wrangler = join(
  dirname(createRequire(import.meta.url).resolve("wrangler/package.json")),
  "bin/wrangler.js",
);
/** No account, no network: what would ask for either fails. */
const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  WRANGLER_SEND_METRICS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  NO_COLOR: "1",
};

/** The kibibytes that would be uploaded, compressed as Cloudflare counts them, and all that was printed. */
export async function dryRun(words: string[]): Promise<{ gzipKib: number; output: string }> {
  const outdir = await mkdtemp(join(tmpdir(), "svc-dry-run-"));
  try {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [wrangler, "deploy", "--dry-run", "--outdir", outdir, ...words],
      { cwd: root, env },
    );
    const output = stdout + stderr;
    return { gzipKib: Number(/gzip: ([\d.]+) KiB/.exec(output)?.[1]), output };
  } finally {
    await rm(outdir, { recursive: true, force: true });
  }
}

/** Serves the Worker of wrangler.toml with these variables and secrets. Its timer is asked for at /cdn-cgi/handler/scheduled. */
export async function startOnMiniflare(variables: Record<string, string>, secrets: Record<string, string>) {
  const directory = await mkdtemp(join(tmpdir(), "svc-wrangler-"));
  const secretsFile = join(directory, "secrets.env");
  // As in a shell: JSON stays whole between single quotes.
  await writeFile(
    secretsFile,
    Object.entries(secrets)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(""),
  );
  const child = spawn(
    process.execPath,
    [
      wrangler,
      "dev",
      ...["--ip", "127.0.0.1", "--port", "0", "--inspector-port", "0", "--test-scheduled"],
      ...["--show-interactive-dev-session=false", "--persist-to", directory, "--env-file", secretsFile],
      ...Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    ],
    { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const url = await untilLine(child.stdout, /Ready on (http:\/\/127\.0\.0\.1:\d+)/, 120_000);
    return { url, output: () => output, stop };
  } catch (error) {
    await stop();
    throw new Error(`${(error as Error).message}:\n${output}`);
  }
}
