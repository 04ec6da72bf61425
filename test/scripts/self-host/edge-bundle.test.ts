import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleEdge } from "../../../scripts/self-host/edge-bundle.ts";
import { StartError } from "../../../scripts/self-host/settings.ts";
import { root } from "../../support/service.ts";

test("an edge that cannot be written is a StartError for the operator: the file and the reason, without a stack", async () => {
  const directory = await mkdtemp(join(tmpdir(), "svc-bundle-"));
  await mkdir(join(directory, "edge.js"));
  const failure: Error = await bundleEdge(root, directory, {}).then(
    () => expect.fail("it was written"),
    (error) => error,
  );
  await rm(directory, { recursive: true, force: true });
  expect(failure).toBeInstanceOf(StartError);
  expect(failure.message).toMatch(/^the edge could not be built\. .*edge\.js.*is a directory/s);
});
