import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startNodeFlags } from "../../../scripts/self-host/node-flags.ts";

test("npm starts the service with the flags that the tests and the bench start it with", () => {
  const { scripts } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  expect(scripts.start).toBe(["exec node", ...startNodeFlags, "scripts/start.ts"].join(" "));
});
