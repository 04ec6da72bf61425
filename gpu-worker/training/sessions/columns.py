"""The numbers of a tool that the session reader gets beside its vector, by their columns. The server has the same (tool-numbers.ts)."""
# Words shared with the goal, the last result and earlier talk: BM25 over the list, then the share of the tool's name.
GOAL_WORDS, GOAL_NAME, RESULT_WORDS, RESULT_NAME, TALK_WORDS, TALK_NAME = 0, 1, 4, 5, 8, 9
# Cosines with the goal and its parts pooled, with the goal as a whole, with the last result and with earlier talk.
LIKENESS, GOAL_LIKENESS, RESULT_LIKENESS, TALK_LIKENESS = 2, 3, 6, 7
# Calls of the tool so far: any, how many since the last user message, the last one, and whether the latest failed.
WAS_CALLED, CALLS_SINCE_GOAL, WAS_LAST, HAS_FAILED = 10, 11, 12, 13
# The part of the goal most like the tool: its place, and whether a tool that was called since is most like it, too.
PART_PLACE, PART_IS_SERVED = 14, 15
# Of the list: the share of the goal's words that it has, and its size. What the tool's verb does.
KNOWN_WORDS, LIST_SIZE, LOOKS, WRITES = 16, 17, 18, 19
# The mixer's ln p / MIXED_BY of the tool, and of none of them, for the last user message alone.
MIXED, MIXED_NONE, MIXED_BY = 20, 21, 4.0
# The same for the first part of that message that no call has served yet, and the share of parts not served.
NEXT_PART, NEXT_PART_NONE, PARTS_LEFT = 22, 23, 24
TOOL_NUMBERS = 25
