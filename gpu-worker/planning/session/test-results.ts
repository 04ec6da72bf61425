/** What the output of tests and builds tells: whether they passed, and whether there are errors in it. Pure. */

/** Results of passed tests and builds: "112 passed; 0 failed", "build succeeded", and the last lines of Go's, Python's and Bun's tests. */
const passed =
  /\b(?:(?<!\b0 )(?:passed|passing)|0 (?:failed|failures)|build succe(?:eded|ss(?:ful)?)|all green)\b|^ok\s+\S+\s+(?:\d[\d.]*s|\(cached\))|\bRan \d+ tests? in [^\n]{1,20}\s+OK\b|^\s*0 fail$/im;
const notPassed =
  /\b[1-9]\d* (?:failed|failing|failures|errors?)\b|\bFAIL(?:ED|URE)?\b|\berror:(?!\s*(?:null|none|0|false)\b)/;

/** Whether a result tells of errors anywhere. */
export const tellsErrors = (result: string): boolean => notPassed.test(result);
export const showsPassed = (result: string): boolean => passed.test(result) && !tellsErrors(result);

/** A build that succeeds is no test, unless tests were run: Gradle and Maven end them so. */
const built = /\bbuild succe/i;
const testing = /\b(?:test|check|verify)\b/i;

/** Whether a shell's call with a passed result ran tests, and did not only build. */
export const ranTests = ({ args = "" }: { args?: string | undefined }, result: string): boolean =>
  testing.test(args) || !built.test(result);
