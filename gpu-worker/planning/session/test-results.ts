/** What the output of tests and builds tells, and what a user says of them: whether they passed, and whether there are errors. Pure. */

/** Passed tests and builds: "112 passed; 0 failed", "build succeeded", and the last lines of Go's, Python's and Bun's tests. */
const passed =
  /\b(?:(?<!\b0 )(?:passed|passing)|0 (?:failed|failures)|build succe(?:eded|ss(?:ful)?)|all green)\b|^ok\s+\S+\s+(?:\d[\d.]*s|\(cached\))|\bRan \d+ tests? in [^\n]{1,20}\s+OK\b|^\s*0 fail$/im;
const notPassed =
  /\b[1-9]\d* (?:failed|failing|failures|errors?)\b|\bFAIL(?:ED|URE)?\b|\berror(?:(?:\s|\[)[A-Z]{1,4}\d{2,5}\]?)?:(?!\s*(?:null|none|0|false)\b)/;

/**
 * How the output of a program begins that crashed: "TypeError: x is undefined", "panic: nil map". Tests that pass may print it, too, so
 * it does not contradict `passed`.
 */
const crash =
  /^[\s*"'[({]{0,10}(?:(?:[\w.]{0,60}\.)?[A-Z]\w{0,60}(?:Error|Exception)(?=[:)\n]|$)|panic:|Segmentation fault\b)/;

/** Whether a call's output tells of errors. What was only read may hold such words and is no failure. */
export const tellsErrors = (result: string): boolean => notPassed.test(result) || crash.test(result);
/** Whether a call's output says that tests or a build passed, and names none that did not. */
export const showsPassed = (result: string): boolean => passed.test(result) && !notPassed.test(result);

/** Says that a build succeeded, which is no test that passed. But Gradle and Maven end test runs so, too. */
const built = /\bbuild succe/i;
const testing = /\b(?:test|check|verify)\b/i;

/** Whether a shell's call with a passed result ran tests, and did not only build. */
export const ranTests = ({ args = "" }: { args?: string | undefined }, result: string): boolean =>
  testing.test(args) || !built.test(result);

/**
 * A message that says that the work came out well, and nothing else: "tests pass now, thanks", "it works again!", "works now". Not "that
 * works", which accepts a proposal.
 */
const reported =
  /^\W*(?:(?:ok(?:ay)?|great|nice|good|cool|perfect|all|the|my|our)\b\W*)*(?:(?:tests?|builds?|ci|pipeline|everything|it)\s+(?:(?:all|now)\s+)?(?:pass(?:es)?|works?|(?:is|are)\s+green)|works(?=\s+(?:now|again)))(?:\s+(?:now|again|fine|well))*(?:\W+(?:thanks|thank\s+you|thx|cheers|(?:good|great|nice)\s+(?:work|job)))?\W*$/iu;
/** Whether a user only says that it works. "The build is green?" asks. */
export const reportsPassed = (message: string): boolean => reported.test(message) && !message.includes("?");
