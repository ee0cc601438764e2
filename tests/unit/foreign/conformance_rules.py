"""The rules that an adapter is held against, by their numbers."""

HELLO, READY, PRODUCE, ODD, FLUSH, PARTITION, LARGE, END = range(8)
HANDED, AFTER, BEFORE, GOES_ON, LEAVES, BUSY = range(8, 14)
COMMITS, ABORTS, REFUSES, FENCED = range(14, 18)
RULES = 18
