// The test projects: `edge` runs in workerd (the edge's real runtime), `node` in Node with forks,
// `system` drives the whole service started by `npm start`.
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** How long anything may take is for a machine that is busy with other things: a test says what happens, not how fast. */
const patience = { testTimeout: 30_000, hookTimeout: 60_000, expect: { poll: { timeout: 15_000 } } };

export default defineConfig({
  test: {
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
          pool: "forks",
          ...patience,
        },
      },
      {
        test: {
          name: "system",
          include: ["test/system/**/*.test.ts"],
          pool: "forks",
          fileParallelism: false,
          ...patience,
          testTimeout: 60_000,
        },
      },
    ],
  },
});
