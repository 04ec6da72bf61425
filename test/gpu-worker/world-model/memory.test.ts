import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { loadWorldModel } from "../../../gpu-worker/world-model/world-model.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of array buffers that something still holds. */
async function heldBytes(): Promise<number> {
  // What is found dead by one collection is freed a turn later.
  for (let turn = 0; turn < 3; turn++) {
    collectGarbage();
    await sleep(20);
  }
  return process.memoryUsage().arrayBuffers;
}

it("holds a checkpoint's graphs once: their files' bytes go when they are open", async () => {
  const checkpointDir = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));
  const before = await heldBytes();
  const model = await loadWorldModel({ checkpointDir, device: "cpu" });
  const held = (await heldBytes()) - before - model.scratch.bytes - model.encoder.memoryBytes;
  await model.close();
  expect(held).toBeLessThan(statSync(`${checkpointDir}/encoder.onnx`).size / 2);
});
