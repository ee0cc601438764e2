"""The relations that claims are written over: the tables of a run, and a few seen in them.

All have a `run` column, the index of the run under judgement. Rows `invoked` that a later row
supersedes are left in: claims ask either for the outcome `ok` or only whether a value was ever
sent, so they change nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

RELATIONS = {
    "sends": "SELECT * FROM history WHERE action = 'send'",
    # What Kafka promised to keep: acknowledged by the whole in-sync set.
    "acknowledged": "SELECT * FROM sends WHERE outcome = 'ok' AND acks = 'all'",
    "polls": "SELECT * FROM history WHERE action = 'poll' AND outcome = 'ok'",
    # Per partition, when the final read was made; of two that claim to lead, the later one.
    "final_leaders": """
        SELECT run, topic, partition, settled, last.* FROM (
            SELECT run, topic, partition, bool_and(settled) AS settled, max(IF(is_leader, struct(
                leader_epoch, broker, log_start_offset, log_end_offset), NULL)) AS last
            FROM replica_ends GROUP BY ALL)""",
    # What the segments of that leader hold.
    "leader_log": """
        SELECT * FROM replica_logs
        LEFT SEMI JOIN final_leaders USING (run, topic, partition, broker)""",
    # Per partition: `covered` is the first offset that no reader reached, `readable_end` where the
    # leader's log ends for a reader, who is never handed the control records that may come last.
    "reach": """
        SELECT run, topic, partition, covered, settled, broker AS leader, log_start_offset,
            coalesce(data_end, log_end_offset) AS readable_end, coalesce(damaged, FALSE) AS damaged,
            damaged IS NOT NULL OR coalesce(log_start_offset = log_end_offset, FALSE) AS recorded
        FROM (SELECT run, topic, partition, max(CASE action
                WHEN 'poll' THEN offset + 1 WHEN 'end' THEN offset END) AS covered
            FROM history WHERE outcome = 'ok' GROUP BY ALL)
        LEFT JOIN final_leaders USING (run, topic, partition)
        LEFT JOIN (SELECT run, topic, partition, count(problem) > 0 AS damaged,
                max(IF(is_control, NULL, offset)) + 1 AS data_end
            FROM leader_log GROUP BY ALL) USING (run, topic, partition)""",
    "values_read": "SELECT DISTINCT run, topic, partition, value, TRUE AS read FROM polls",
    "values_kept": """
        SELECT run, topic, partition, value, bool_or(broker = leader) AS in_log,
            array_join(array_sort(collect_set(broker)), ',') AS still_on
        FROM replica_logs LEFT JOIN reach USING (run, topic, partition) GROUP BY ALL""",
    "offsets_kept": """
        SELECT run, topic, partition, offset, min(value) AS replaced_by
        FROM leader_log GROUP BY ALL""",
}


def name_relations(spark: SparkSession, tables: Mapping[str, DataFrame]) -> None:
    """Let queries name the tables and the relations above, until the next call."""
    for name, frame in tables.items():
        frame.createOrReplaceTempView(name)
    for name, query in RELATIONS.items():
        spark.sql(query).createOrReplaceTempView(name)
