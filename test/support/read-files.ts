/** What a running service has on disk. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Name and content (latin1, so that every byte stays) of each file below a directory. One that is removed meanwhile is empty. */
export async function readFiles(directory: string): Promise<[name: string, text: string][]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(
        async ({ parentPath, name }): Promise<[string, string]> => [
          name,
          await readFile(join(parentPath, name), "latin1").catch((error: NodeJS.ErrnoException) => {
            if (error.code !== "ENOENT") throw error;
            return "";
          }),
        ],
      ),
  );
}
