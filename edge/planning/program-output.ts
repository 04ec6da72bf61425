/**
 * Output of programs that a user pasted without fences: lines of logs, stack traces, SQL, rows of a table. The encoder reads only the beginning
 * of a text, and a log says "deploy" and "merge" of what has happened already. Pure; the time is linear in the text.
 */

const time = String.raw`[[(]?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\d\d:\d\d:\d\d[.,]\d{3}|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d)`;
const level = String.raw`\b(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|NOTICE|CRITICAL|SEVERE)\b|\[(?:error|warn|info|debug)\]|\blevel=|\w\[\d{1,9}\]:`;
/**
 * A time to the second and a level, or the process as in syslog; what begins an access log; npm's mark. Programs put times before people's
 * messages as well: "[2026-11-30 10:01:22] Ann: book a table".
 */
const logged = new RegExp(
  String.raw`^[ \t]{0,8}(?:${time}(?=[^\n]{0,120}?(?:${level}))|\d{1,3}(?:\.\d{1,3}){3} \S{1,80} \S{1,80} \[|npm (?:ERR!|error|WARN)\s)`,
);
/** A statement of SQL in capitals: people who type it within a sentence seldom end a line with it. */
const sql =
  /^[ \t]{0,8}(?:SELECT|INSERT INTO|UPDATE \S+ SET|DELETE FROM|TRUNCATE|(?:CREATE|DROP|ALTER) [A-Z]+)\s[^\n]*;[ \t]*$/;
/** "    at main (app.ts:4:2)", "at com.acme.Mail.send(Mail.java:19)", '  File "run.py", line 2, in main'. Not a time of day: "at 10:30". */
const frame =
  /^[ \t]{0,16}(?:(?:at|❯)\s[^\n]{0,400}[^\d\s]:\d+(?::\d+)?\)?|File "[^"\n]{1,400}", line \d+\b[^\n]*)$/;
const tracebackBegins = /^[ \t]{0,8}Traceback \(most recent call last\):/;
/** Names what failed, above frames or below them: "TypeError: x is undefined". */
const failure = /^[ \t]{0,8}(?:Uncaught |Caused by: |Exception in )?[\w.$]{0,120}(?:Error|Exception)\b/;
const isIndented = (line: string): boolean => /^[ \t]+\S/.test(line);

/**
 * Between the cells of a row, each with the least number that makes one. A tab is typed in no sentence; the others may stand in one
 * ("1,200", "and/or a|b").
 */
const separators = new Map([
  ["\t", 1],
  [",", 2],
  [";", 2],
  ["|", 2],
]);
/** Word processors put a tab behind the marks of a list. */
const listMark = /^\s{0,32}(?:\(?[\da-z]{1,3}[.)]|[-*+•–])\s/i;
/** Which separator a line has, and how often: rows of the same table have the same. Empty for any other line. */
function readRow(line: string): string {
  const row = line.replace(listMark, "").trim();
  for (const [separator, least] of separators) {
    if (!row.includes(separator)) continue;
    const cells = row.split(separator).slice(1);
    // In prose a space follows a comma.
    const close = separator === "," || separator === ";" ? cells.filter((cell) => cell[0] !== " ") : cells;
    if (close.length >= least) return separator + close.length;
  }
  return "";
}

/** Without such lines. Two rows of the same number of cells make a table. */
export function cutProgramOutput(text: string): string {
  const lines = text.split("\n");
  const rows = lines.map(readRow);
  const isRow = (at: number) => rows[at] !== "" && (rows[at] === rows[at - 1] || rows[at] === rows[at + 1]);
  const isTraced: boolean[] = [];
  for (const [at, line] of lines.entries()) {
    // Python prints each frame's line of code below it.
    const goesOn = isTraced[at - 1] === true && isIndented(line) && !failure.test(line);
    isTraced.push(frame.test(line) || tracebackBegins.test(line) || goesOn);
  }
  const isFailure = (at: number) =>
    failure.test(lines[at]!) && (isTraced[at - 1] === true || isTraced[at + 1] === true);
  const isOutput = (line: string, at: number) =>
    isTraced[at]! || isFailure(at) || isRow(at) || logged.test(line) || sql.test(line);
  return lines.filter((line, at) => !isOutput(line, at)).join("\n");
}
