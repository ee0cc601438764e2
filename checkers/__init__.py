"""Claims about a recorded run, one file each, judged by PySpark."""
