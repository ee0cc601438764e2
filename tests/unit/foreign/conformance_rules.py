"""The rules that an adapter is held against, by their numbers."""

HELLO, READY, PRODUCE, ODD, FLUSH, PARTITION, LARGE, END = range(8)
HANDED, AFTER, BEFORE, GOES_ON, BUSY = range(8, 13)
COMMITS, ABORTS, REFUSES, FENCED = range(13, 17)
RULES = 17
