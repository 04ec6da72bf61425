/** Writes the 903 actions for the rollout page: id, name, category and gloss, without the checkpoint's other columns. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const Actions = z.array(z.object({ id: z.int(), name: z.string(), category: z.string(), gloss: z.string() }));

export async function writeActions(root: string, path: string): Promise<void> {
  const text = await readFile(join(root, "gpu-worker/checkpoints/base/actions.json"), "utf8");
  const actions = Actions.parse(JSON.parse(text)).map(({ id, name, category, gloss }) => [
    id,
    name,
    category,
    gloss,
  ]);
  await writeFile(path, JSON.stringify(actions));
}
