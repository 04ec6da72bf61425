// The bounds of `npm run files`, so that another file on the way of a request is seen in the commit that puts it there.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("a request passes no more files than the bounds in count-files.ts", { timeout: 180_000 }, async () => {
  const script = fileURLToPath(new URL("count-files.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  expect(stdout).toMatch(/chat\/completions from alpha: \d+ files[\s\S]*a plan: \d+ files/);
});
