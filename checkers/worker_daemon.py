"""What Spark's Python workers are forked from: it has loaded what they need before they ask.

Spark runs it in place of its own daemon (`spark.python.daemon.module`), which it becomes. Spark
names its Python code to it as archives, which are compiled at every start and looked through at
every import, here and in each worker. The same code is installed, and compiled already.
"""

from __future__ import annotations

import gc
import os
import sys


def _forget_archives() -> None:
    """Import nothing from below Spark's home: two archives of code, and one of classes."""
    home = os.environ["SPARK_HOME"] + os.sep
    sys.path[:] = [place for place in sys.path if not place.startswith(home)]
    for place in [place for place in sys.path_importer_cache if place.startswith(home)]:
        del sys.path_importer_cache[place]


if __name__ == "__main__":
    _forget_archives()
    from pyspark import daemon

    from highwater.checkers import catalogue, tasks  # noqa: F401 - what a task is made of

    catalogue.claims()
    gc.freeze()  # a worker collects garbage after each task: not among what is never any
    daemon.manager()
