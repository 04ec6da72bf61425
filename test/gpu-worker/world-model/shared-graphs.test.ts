import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it, vi } from "vitest";
import type { TextToEncode } from "../../../gpu-worker/world-model/encoder.ts";
import {
  createSharedGraphs,
  removeSharedGraphs,
  type SharedGraphs,
  whenWritten,
} from "../../../gpu-worker/world-model/shared-graphs.ts";
import { loadWorldModel } from "../../../gpu-worker/world-model/world-model.ts";

vi.setConfig({ testTimeout: 60_000 });
afterEach(() => void vi.unstubAllEnvs());
const checkpointDir = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));
const texts = ["Book a flight", "Find a hotel near the river and tell Anna about it"].map(
  (text): TextToEncode => ({ text, keep: "start", remember: false }),
);

/** What a world model says that was loaded with others, after they let go of the files. */
async function answersOf(shared: SharedGraphs | undefined, then: () => Promise<void> = async () => {}) {
  const model = await loadWorldModel({ checkpointDir, device: "cpu", shared });
  await then();
  const [one, two] = await model.encoder.encode(texts);
  const recalled = await model.library.recall([{ goal: one!.vector, state: two!.vector }]);
  await model.close();
  return { vectors: [one!.vector, two!.vector], recalled };
}

it("gives the same bits from graphs that are shared, also once their files are gone", async () => {
  const shared = await createSharedGraphs();
  const alone = await answersOf(undefined);
  expect(await answersOf(shared)).toEqual(alone);
  expect(await answersOf(shared, () => removeSharedGraphs(shared))).toEqual(alone);
  expect(shared && existsSync(shared.folder)).not.toBe(true);
});

it("loads without sharing where the files cannot be written", async () => {
  const shared = await createSharedGraphs();
  if (shared) await rm(shared.folder, { recursive: true });
  expect(await answersOf(shared)).toEqual(await answersOf(undefined));
});

it("removes what a process left that was killed while it started, nothing of one that starts now, and nothing of others", async () => {
  // A folder of temporary files that is the test's own: a mistake here would delete those of all programs.
  const folder = await mkdtemp(join(tmpdir(), "temporary-"));
  vi.stubEnv("TMPDIR", folder);
  const [left, present, foreign] = ["svc-gpu-worker-left", "svc-gpu-worker-present", "another-program"].map(
    (name) => join(folder, name),
  ) as [string, string, string];
  for (const one of [left, present, foreign]) await mkdir(one);
  for (const one of [left, foreign]) await utimes(one, 1, 1);
  const shared = await createSharedGraphs();
  if (shared) expect([left, present, foreign].map(existsSync)).toEqual([false, true, true]);
  await removeSharedGraphs(shared);
  await rm(folder, { recursive: true });
});

it("has the first thread write and the others find it done", async () => {
  const shared = { folder: "", state: new SharedArrayBuffer(4) };
  const write = vi.fn(async () => {});
  expect(await whenWritten(shared, write)).toBe(true);
  expect(await whenWritten(shared, write)).toBe(true);
  expect(write).toHaveBeenCalledOnce();
});
