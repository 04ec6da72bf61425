"""Ids among the 903 actions that code names. The table itself is frozen (actions.json)."""

UNKNOWN, START, END = 1, 2, 3
# Padding, unknown, start, end and noop: no name is mapped onto them.
NEVER_MAPPED = (0, 1, 2, 3, 9)
