/** Debian's chromium, where the machine has one, and one page in it whose script runs on an origin we serve. */
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { type Loopback, listenOnLoopback } from "../../support/loopback.ts";

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Path of the executable; undefined where there is none. */
export function findChromium(): string | undefined {
  const folders = ["/usr/bin", ...(process.env.PATH ?? "").split(delimiter)];
  return folders
    .map((folder) => join(folder, "chromium"))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** An empty page on its own origin, served until `stop`. */
export function servePages(): Promise<Loopback> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>page</title>");
  });
  return listenOnLoopback(server);
}

export type Browser = { open(url: string): Promise<Page>; stop(): Promise<void> };

export async function startChromium(executablePath: string): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), "svc-chromium-"));
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: flags });
  return {
    open: async (url) => {
      const page = await context.newPage();
      await page.goto(url);
      return page;
    },
    stop: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
