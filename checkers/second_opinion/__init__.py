"""The same claims once more, by loops over rows: what Spark says is only believed if both agree.

Slow, and in memory; nothing here knows Spark, or the code that it is to be compared with.
"""
