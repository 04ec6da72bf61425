/**
 * The V8 flags of `npm start`'s own process, here for whoever starts it otherwise and in the script of package.json. Loading
 * the scripts leaves 150 MiB of garbage that V8 by itself has no reason to collect for minutes; what lives afterwards is 20
 * MiB, and a few KiB for each caller that the relay holds (docs/performance.md, "Memory").
 */
export const startNodeFlags: readonly string[] = ["--max-semi-space-size=2", "--max-old-space-size=256"];
