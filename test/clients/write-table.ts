/** What was run, as one table: of how many providers' models each scene passed. docs/clients.md names what was not played. */
import type { SceneName } from "./program.ts";

export type Result = { program: string; version: string; scene: SceneName; passed: boolean };

export function writeTable(results: readonly Result[], scenes: readonly SceneName[]): string {
  const rows = Map.groupBy(results, ({ program, version }) => `${program} | ${version}`);
  const count = (row: readonly Result[], scene: SceneName): string => {
    const played = row.filter((result) => result.scene === scene);
    return played.length === 0 ? "–" : `${played.filter(({ passed }) => passed).length}/${played.length}`;
  };
  return [
    ["program", "version", ...scenes],
    ["---", "---", ...scenes.map(() => "---")],
    ...[...rows].map(([name, row]) => [name, ...scenes.map((scene) => count(row, scene))]),
  ]
    .map((cells) => `| ${cells.join(" | ")} |\n`)
    .join("");
}
