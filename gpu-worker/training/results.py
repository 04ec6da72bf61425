"""Whether a tool's result looks like a failure, or like an empty result: the server's rules (planning/session/events.ts)."""
import re

# Codes of HTTP stand at the beginning, or after a word that announces one.
FAILURE_CODE = re.compile(r"^\W{0,3}(?:4(?:0\d|1[0-8]|2[1-9]|31|51)|5(?:0[0-8]|1[01]))\b(?!\W{0,2}\d|\s+passed)|\b(?:http(?:/[\d.]{1,3})?|status(?:[ _]?code)?|code|error)\W{1,4}[45]\d\d\b", re.IGNORECASE | re.ASCII)
# No part of a path or a longer name: "src/error.ts", "unknown-device".
FAILURE_WORD = re.compile(
    r"(?<![\w/.-])(?:error|failed|failure|denied|forbidden|unauthori[sz]ed|not found|no such|timed? ?out|exception|traceback|invalid|refused|conflict|unavailable|cannot|can't|could not|unable to|rejected|expired|does not exist|doesn't exist|locked|unknown|not (?:possible|allowed|permitted|connected|reachable|available|responding|answering)|must be|exceeded|unsupported)(?![\w/-]|\.\w)",
    re.IGNORECASE | re.ASCII,
)
# What a shell says of a command at the beginning or the end of its output.
EXIT_CODE = re.compile(
    r"(?:^|[\n{,])\W{0,4}(?:error: |process |command finished with )?exit(?:ed)?(?:[ _]with)?[ _](?:code|status)\"?\s{0,2}[:=]?\s{0,2}(-?\d+)\b",
    re.IGNORECASE | re.ASCII,
)
# What JSON says of the call itself: before anything nested, since in a list it is said of a thing that was looked up.
FLAGGED = re.compile(r"^[^\[{]{0,40}\{[^\[{]*\"(?:success|ok|succeeded)\"\s*:\s*false\b|\"is_?error\"\s*:\s*true\b", re.IGNORECASE | re.ASCII)
# A file with its lines numbered: the words of what was read.
LISTING = re.compile(r"^(?:<\w+>\s*)?(?:\s{0,6}\d{1,6}\u2192|\d{5}\||\s{4,6}\d{1,3}\t)", re.ASCII)
# "0 errors", "failures": [], "expired": false; but not "error: null value in column id".
NO_FAILURE = re.compile(
    r"\b(?:0|no|zero)\s+(?:\w+\s+)?(?:errors?|failed|failures?|conflicts?|missing)\b|\b(?:errors?|failed|failures?|conflicts?|exceptions?|expired|rejected|locked|invalid|timeouts?)\"?\s*[:=]\s*(?:(?:0|null|none|false)\b(?![ \t]+[a-z]+\b(?!\s*[:=]))|\[\s*\]|\"\")",
    re.IGNORECASE | re.ASCII,
)
EMPTY = re.compile(r"^\s*(?:\[\s*\]|\{\s*\}|null|none|0|\(?empty\)?|)\s*$|\b(?:no (?:results?|matches|match|entries|rows|records|items|hits)|0 (?:results?|matches|rows|hits)|nothing found)\b|: ?\[\]", re.IGNORECASE)


def exit_code(result):
    """None of a list of runs in JSON."""
    begin, end = result[:120], result[-120:]
    is_json = re.match(r"\s*[\[{]", begin)
    found = EXIT_CODE.search(begin)
    if found:
        return None if is_json and "[" in begin[: found.start()] else found
    return None if is_json and re.search(r"\][\s}]*$", end) else EXIT_CODE.search(end)


def looks_failed(result):
    """A failure says so at its beginning, a shell's exit code also at the end; further on the words are part of what was read."""
    code = exit_code(result)
    if code:
        return int(code[1]) != 0
    if LISTING.search(result):
        return False
    said = NO_FAILURE.sub(" ", result[:200])[:60]
    return bool(FLAGGED.search(result[:200]) or FAILURE_CODE.search(said) or FAILURE_WORD.search(said))


def looks_empty(result):
    return bool(EMPTY.search(result[:200]))
