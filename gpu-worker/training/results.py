"""Whether a tool's result looks like a failure, or like an empty result: the server's rules (planning/session-events.ts)."""
import re

# Codes of HTTP stand at the beginning, or after a word that announces one.
FAILURE_CODE = re.compile(r"^\W{0,3}(?:4(?:0\d|1[0-8]|2[1-9]|31|51)|5(?:0[0-8]|1[01]))\b(?!\W{0,2}\d|\s+passed)|\b(?:http(?:/[\d.]{1,3})?|status(?:[ _]?code)?|code|error)\W{1,4}[45]\d\d\b", re.IGNORECASE | re.ASCII)
FAILURE_WORD = re.compile(
    r"\b(?:error|failed|failure|denied|forbidden|unauthori[sz]ed|not found|no such|timed? ?out|exception|traceback|invalid|refused|conflict|unavailable|cannot|can't|could not|unable to|rejected|expired|does not exist|doesn't exist|locked|unknown|not (?:possible|allowed|permitted|connected|reachable|available|responding|answering)|must be|exceeded|unsupported)\b",
    re.IGNORECASE | re.ASCII,
)
# "0 errors", "failures": [], "expired": false; but not "error: null value in column id".
NO_FAILURE = re.compile(
    r"\b(?:0|no|zero)\s+(?:\w+\s+)?(?:errors?|failed|failures?|conflicts?|missing)\b|\b(?:errors?|failed|failures?|conflicts?|exceptions?|expired|rejected|locked|invalid|timeouts?)\"?\s*[:=]\s*(?:(?:0|null|none|false)\b(?![ \t]+[a-z]+\b(?!\s*[:=]))|\[\s*\]|\"\")",
    re.IGNORECASE | re.ASCII,
)
EMPTY = re.compile(r"^\s*(?:\[\s*\]|\{\s*\}|null|none|0|\(?empty\)?|)\s*$|\b(?:no (?:results?|matches|match|entries|rows|records|items|hits)|0 (?:results?|matches|rows|hits)|nothing found)\b|: ?\[\]", re.IGNORECASE)


def looks_failed(result):
    """A failure says so at its beginning; further on the words are part of what was read."""
    said = NO_FAILURE.sub(" ", result[:200])[:60]
    return bool(FAILURE_CODE.search(said) or FAILURE_WORD.search(said))


def looks_empty(result):
    return bool(EMPTY.search(result[:200]))
