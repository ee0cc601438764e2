"""Benchmarks: figures and ratios within one run, as JSON. `python -m tests.bench [PART...]`."""
