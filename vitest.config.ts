// The test projects: `edge` runs in workerd (the edge's real runtime), `node` in Node with forks, `system` drives the whole
// service started by `npm start`, and `alone` holds what watches memory, counts frames or fills the machine by itself.
import { availableParallelism } from "node:os";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { configDefaults, defineConfig } from "vitest/config";

/** How long anything may take is for a machine that is busy with other things: a test says what happens, not how fast. */
const patience = { testTimeout: 30_000, hookTimeout: 60_000, expect: { poll: { timeout: 15_000 } } };

/**
 * Where tests run in Node, drizzle is bundled first. Node copies and parses the 170 KiB of its package.json for each of its 215 modules,
 * which is one second of each file that needs the database.
 */
const bundled = ["", "/libsql/http", "/libsql/migrator", "/sql", "/sqlite-core"].map(
  (part) => `drizzle-orm${part}`,
);
const inNode = { pool: "forks", deps: { optimizer: { ssr: { enabled: true, include: bundled } } } } as const;

/** Their figures are of a machine that does nothing else, or they leave nothing of it to others. They run last, one by one. */
const alone = [
  "test/system/failures/busy-account.test.ts",
  "test/scripts/bench.test.ts",
  "test/system/console/speed.test.ts",
  "test/system/crash/**/*.test.ts",
  "test/system/failures/hostile-requests.test.ts",
  "test/system/failures/leaks.test.ts",
  "test/system/messages/slow-reader.test.ts",
  "test/system/money/crash-rounds.test.ts",
];

export default defineConfig({
  test: {
    // Files wait as long as they work, so even two processors take two at a time; vitest itself leaves one free.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        plugins: [
          cloudflareTest({
            miniflare: {
              compatibilityDate: "2026-09-18",
              compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
            },
          }),
        ],
        test: {
          name: "edge",
          include: ["test/edge/**/*.test.ts", "test/shared/**/*.test.ts"],
          globalSetup: "test/support/sqld-global-setup.ts",
          // One workerd for many files, as one isolate serves many requests: a new one for each, with the same imports, took longer
          // than the tests.
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: "node",
          include: [
            "test/*.test.ts",
            "test/console/**/*.test.ts",
            "test/gpu-worker/**/*.test.ts",
            "test/scripts/**/*.test.ts",
          ],
          exclude: [...configDefaults.exclude, ...alone],
          ...inNode,
          ...patience,
        },
      },
      {
        test: {
          name: "system",
          include: ["test/system/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...alone],
          ...inNode,
          // A service has five processes: two at a time, however many processors there are.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          ...patience,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "alone",
          include: alone,
          ...inNode,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          ...patience,
          testTimeout: 60_000,
        },
      },
    ],
  },
});
