"""Whether a tool's result looks like a failure, or like an empty result: the server's rules (planning/session/events.ts)."""
import re

# Codes of HTTP stand at the beginning (not "500 rows", "404.html"), or after a word that announces one.
FAILURE_CODE = re.compile(r"^\W{0,3}(?:4(?:0\d|1[0-8]|2[1-9]|31|51)|5(?:0[0-8]|1[01]))\b(?!\W{0,2}\d|\.\w|\s+passed|\s+[a-z]+(?<!s)s(?:[.,;]|\s*$)|\s+\|)|\b(?:http(?:/[\d.]{1,3})?|status(?:[ _]?code)?|code|error)\W{1,4}[45]\d\d\b", re.IGNORECASE | re.ASCII)
# Not as a part of a path or a longer name: "src/error.ts", "unknown-device".
FAILURE_WORD = re.compile(
    r"(?<![\w/.-])(?:error|fatal(?=:)|failed|failure|denied|forbidden|unauthori[sz]ed|missing required|npm err(?=!)|too many requests|rate limited|not found|no such|timed? ?out|exception|traceback|invalid|refused|conflict|unavailable|cannot|can't|could not|unable to|rejected|expired|does not exist|doesn't exist|locked|unknown|not (?:possible|allowed|authori[sz]ed|permitted|connected|reachable|available|responding|answering)|must be|exceeded|unsupported)(?![\w/-]|\.\w)",
    re.IGNORECASE | re.ASCII,
)
# The line about a command's end that shells and agents add, at the beginning or the end of its output.
EXIT_CODE = re.compile(
    r"(?:^|[\n{,])\W{0,4}(?:error: |process |command finished with )?exit(?:ed)?(?:[ _]with)?[ _](?:code|status)\"?\s{0,2}[:=]?\s{0,2}(-?\d+)\b",
    re.IGNORECASE | re.ASCII,
)
# What JSON says of the call itself: before anything nested, since in a list it is said of a thing that was looked up.
FLAGGED = re.compile(r"^[^\[{]{0,40}\{[^\[{]*\"(?:success|ok|succeeded)\"\s*:\s*false\b|\"is_?error\"\s*:\s*true\b", re.IGNORECASE | re.ASCII)
# Beginnings of what a tool has read, where words of failure are the text's own.
READINGS = [
    # A file with its lines numbered, and lines that were found in files.
    re.compile(r"^(?:<\w+>\s*)?(?:\s{0,6}\d{1,6}(?:\u2192|\t| \| )|\d{5}\|)", re.ASCII),
    re.compile(r"^(?:[\w@./-]{1,200}:)?\d{1,6}[:-](?:\s{2}|\t|(?:import|export|const|throw|return)\b)", re.ASCII),
    # A file without them: "export failed" and "class not found" are no code.
    re.compile(r"^import\s(?:[^\n]{1,120}\sfrom\s)?['\"]", re.ASCII),
    re.compile(r"^export\s(?:default|const|class|function|type|interface|async|[*{])", re.ASCII),
    re.compile(r"^(?:const|let|var)\s[^\n]{1,80}=", re.ASCII),
    re.compile(r"^(?:from\s[\w.]{1,80}\simport\b|def\s\w+\()", re.ASCII),
    re.compile(r"^class\s[A-Z]\w*\s?(?:[({:]|extends\b|implements\b)", re.ASCII),
    re.compile(r"^(?://\s|/\*|#!|#include\b|<!doctype)", re.ASCII),
    # Git's log and differences.
    re.compile(r"^(?:commit [\da-f]{7,40}\b|diff --git |(?=\d*[a-f])[\da-f]{7,12} \S)", re.ASCII),
    # A mail's head, a search of the web.
    re.compile(r"^(?:From|To|Subject|Date): [^\n;]{1,200}[\n;]\s?(?:From|To|Subject|Date): ", re.ASCII),
    re.compile(r"^Web search results for query: ", re.ASCII),
    # A list of things in JSON, unless it is one of errors or of a result's parts.
    re.compile(r"^\s*(?:\{\s*\"(?![Ee]rror|[Ff]ail|message|content|detail)\w{1,40}\"\s*:\s*)?\[\s*\{\s*\"(?![Ee]rror|message|type\")", re.ASCII),
]
# Words of failure that tell of none.
NO_FAILURE = re.compile(
    "|".join([
        # "0 errors", "no failed tests".
        r"\b(?:0|no|zero)\s+(?:\w+\s+)?(?:errors?|failed|failures?|conflicts?|missing)\b",
        # "failures": [], "expired": false; but not "error: null value in column id".
        r"\b(?:errors?|failed|failures?|conflicts?|exceptions?|expired|rejected|locked|invalid|timeouts?)\"?\s*[:=]\s*(?:\(none\)|(?:0|null|none|false)\b(?![ \t]+[a-z]+\b(?!\s*[:=]))|\[\s*\]|\"\")",
        # A lock that was asked for: "locked", "state": "locked", "the door is now locked"; but not "record locked".
        r"(?:^\W*|[:=]\s*\"?)locked\b(?!\s+by\b|:)|\b(?:doors?|gates?|cars?)\s+(?:(?:is|are|now|has|have|been)\s+){0,3}locked\b",
        # A test's name that was passed.
        r"(?:^|\n)\s*(?:[\u2713\u2714\u221a]|PASS\b)[^\n]*",
    ]),
    re.IGNORECASE | re.ASCII,
)
EMPTY = re.compile(r"^\s*(?:\[\s*\]|\{\s*\}|null|none|0|\(?empty\)?|)\s*$|\b(?:no (?:results?|matches|match|entries|rows|records|items|hits)|0 (?:results?|matches|rows|hits)|nothing found)\b|: ?\[\]", re.IGNORECASE)


def exit_code(result):
    """The match of EXIT_CODE at the beginning or the end; None within a list in JSON, where a code is that of one entry."""
    begin, end = result[:120], result[-120:]
    is_json = re.match(r"\s*(?:\{|\[(?![A-Z]))", begin)
    found = EXIT_CODE.search(begin)
    if found:
        return None if is_json and "[" in begin[: found.start()] else found
    return None if is_json and re.search(r"\][\s}]*$", end) else EXIT_CODE.search(end)


def looks_failed(result):
    """A failure says so at its beginning, a shell's exit code also at the end; further on the words are part of what was read."""
    code = exit_code(result)
    if code:
        return int(code[1]) != 0
    if any(beginning.search(result) for beginning in READINGS):
        return False
    said = NO_FAILURE.sub(" ", result[:200])[:60]
    return bool(FLAGGED.search(result[:200]) or FAILURE_CODE.search(said) or FAILURE_WORD.search(said))


def looks_empty(result):
    return bool(EMPTY.search(result[:200]))
