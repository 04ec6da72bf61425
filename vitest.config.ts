// The test projects: `edge` runs in workerd (the edge's real runtime), `node` in Node with forks,
// `system` drives the whole service started by `npm start`.
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

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
        },
      },
      {
        test: {
          name: "system",
          include: ["test/system/**/*.test.ts"],
          pool: "forks",
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
