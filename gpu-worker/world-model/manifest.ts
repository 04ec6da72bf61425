/**
 * manifest.json: the description of a checkpoint (size, width, files with their sha256) and every number that tunes it. A
 * checkpoint with other files than the manifest lists is refused.
 */
import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ModelSize } from "../../shared/model-sizes.ts";
import { PlanningConfig } from "./planning-config.ts";

export const effects = ["none", "look", "move", "write", "commit"] as const;
/** How much an action changes the world, from nothing to what cannot be taken back. */
export const Effect = z.enum(effects);
export type Effect = z.infer<typeof Effect>;

export const Manifest = z.object({
  name: z.string(),
  size: ModelSize,
  /** Width of a latent, which is also what /v1/embeddings answers. `encoderDimension`: width of the encoder's own vector, half of it. */
  dimension: z.int().positive(),
  encoderDimension: z.int().positive(),
  windowTokens: z.int().positive(),
  vocabularySize: z.int().positive(),
  numActions: z.int().positive(),
  licence: z.string(),
  attribution: z.array(z.string()),
  files: z.record(z.string(), z.object({ sha256: z.string(), bytes: z.int() })),
  planning: PlanningConfig,
});
export type Manifest = z.infer<typeof Manifest>;

export type Checkpoint = {
  manifest: Manifest;
  /** The bytes of a file in the manifest. Throws for any other file. */
  file(name: string): Uint8Array;
};

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece as Uint8Array);
  return hash.digest("hex");
};

/**
 * Checks every file of a checkpoint folder against its manifest. A file is read into memory only when it is needed: memory for
 * all at once would stay with the process for good. Throws an error that names the file that differs.
 */
export async function readCheckpoint(directory: string): Promise<Checkpoint> {
  const manifest = Manifest.parse(JSON.parse(await readFile(join(directory, "manifest.json"), "utf8")));
  for (const [name, expected] of Object.entries(manifest.files)) {
    if ((await hashOf(join(directory, name))) !== expected.sha256) {
      throw new Error(
        `checkpoint ${manifest.name}: ${name} is not the file its manifest describes (sha256 differs); restore the folder or write its manifest again`,
      );
    }
  }
  return {
    manifest,
    file(name) {
      if (!manifest.files[name])
        throw new Error(`checkpoint ${manifest.name}: its manifest lists no ${name}`);
      return readFileSync(join(directory, name));
    },
  };
}

export const decodeJson = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

/** Little-endian float32 values of a file, copied so that they are aligned. */
export const decodeFloats = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.slice().buffer);
