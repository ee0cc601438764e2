"""Hands pieces to Spark's tasks, and with them such files as lie on no disk of a worker's.

These are read where tasks run, by Hadoop, and go to whoever is to judge them through a shuffle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from highwater.checkers.hadoop import escaped
from highwater.checkers.reading import Pieces

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext


def delivered(spark: SparkContext, bundles: Sequence[Pieces], slices: int) -> RDD[Pieces]:
    """Each bundle to a task, in their order; where files are brought, in a partition of its own."""
    bound_for = _bound_for(bundles)
    if not bound_for:
        return spark.parallelize(bundles, slices)
    tables = {path.rpartition("/")[0] for path in bound_for}
    # A comma would end a pattern. What else matches is left out, as what came later is.
    patterns = [f"{escaped(table).replace(',', '?')}/part-*.parquet" for table in sorted(tables)]
    files = spark.binaryFiles(",".join(patterns)).filter(lambda file: file[0] in bound_for)
    sent = files.map(lambda file: (bound_for[file[0]], file))
    asked: RDD[Any] = spark.parallelize(list(enumerate(bundles)), slices)
    return asked.union(sent).partitionBy(len(bundles), int).mapPartitions(_filled)


def collected(spark: SparkContext, pieces: Pieces) -> Pieces:
    """The same where the driver can read them."""
    return delivered(spark, [pieces], 1).first() if _bound_for([pieces]) else pieces


def _bound_for(bundles: Sequence[Pieces]) -> dict[str, int]:
    """Which bundle is to have the content of which file."""
    return {
        piece.path: number
        for number, bundle in enumerate(bundles)
        for pieces in bundle.values()
        for piece in pieces
        if piece.content == b""
    }


def _filled(part: Iterable[tuple[int, Any]]) -> Iterator[Pieces]:
    contents, bundles = {}, []
    for _, content in part:
        if isinstance(content, tuple):
            contents[content[0]] = content[1]
        else:
            bundles.append(content)
    for bundle in bundles:
        yield {
            table: [replace(each, content=contents.get(each.path, each.content)) for each in pieces]
            for table, pieces in bundle.items()
        }
