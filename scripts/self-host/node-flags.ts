/**
 * The V8 flags of `npm start`'s own process, also in the script of package.json. A start leaves garbage that V8 would not collect for
 * minutes: with a small young generation 53 to 60 MiB are private to the process afterwards, without the flags 74. Some 20 MiB stay
 * alive, and a few KiB for each caller of the relay (docs/performance.md, "What a stream takes"). A global `gc` is for
 * gpu-worker/garbage.ts.
 */
export const startNodeFlags: readonly string[] = [
  "--max-semi-space-size=2",
  "--max-old-space-size=256",
  "--expose-gc",
];
