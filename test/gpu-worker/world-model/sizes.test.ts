// Each checkpoint, loaded, beside what the list of sizes promises callers of its size.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { loadWorldModel } from "../../../gpu-worker/world-model/world-model.ts";
import { ModelSize, sizes } from "../../../shared/model-sizes.ts";

const checkpoints = fileURLToPath(new URL("../../../gpu-worker/checkpoints", import.meta.url));

test("there is a checkpoint, and each is named for its size", () => {
  const folders = readdirSync(checkpoints);
  expect(folders.length).toBeGreaterThan(0);
  for (const folder of folders) expect(ModelSize.options).toContain(folder);
});

describe.each(readdirSync(checkpoints))("%s", (folder) => {
  test("its latents are as wide as its size's embeddings, twice its encoder's vectors", async () => {
    const { dimensions } = sizes[ModelSize.parse(folder)];
    const model = await loadWorldModel({ checkpointDir: `${checkpoints}/${folder}`, device: "cpu" });
    try {
      const { manifest, tokenizer, encoder, heads } = model;
      const vectors = await encoder.encodeTokens([tokenizer.encode("Find a flight to Lisbon", 16)]);
      const [{ latent } = { latent: undefined }] = await heads.latents(vectors);
      expect({
        size: manifest.size,
        manifest: manifest.dimension,
        latent: latent?.length,
        encoder: 2 * vectors[0]!.length,
      }).toEqual({ size: folder, manifest: dimensions, latent: dimensions, encoder: dimensions });
    } finally {
      await model.close();
    }
  });
});
