import { expect, test } from "vitest";
import { Parts } from "../../../scripts/self-host/parts.ts";

test("a stop ends also where the disk takes no writes any more", async () => {
  const parts = new Parts(() => {});
  const full = () => Promise.reject(Object.assign(new Error("read-only"), { code: "EROFS" }));
  parts.databaseLock = { nameServer: full, free: full };
  parts.record = { set: () => {}, setChild: () => {}, saved: full, remove: full };
  await expect(parts.stop()).resolves.toBeUndefined();
});
