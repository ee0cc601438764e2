"""Writes and reads a run directory: the only contract between playing, judging and reporting.

run.json          identity and ending; rewritten once, atomically, when the run ends
events.jsonl      the timeline: a line is on disk as soon as it happened
<table>/*.parquet history, replica_logs, replica_ends, replica_states (harness.tables)
brokers/<id>/     configuration, logs and checkpoint files
verdicts.json     what the checkers said
"""
