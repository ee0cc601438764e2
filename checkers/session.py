"""Spark in this process, as its one context, started in the background when somebody asks for it.

It runs on two cores of this machine, or where HIGHWATER_SPARK_MASTER says: local[*],
local-cluster[2,1,1024], spark://host:7077. Under spark-submit the context is spark-submit's.

Starting costs seconds, so a caller asks for it while a cluster boots and pays nothing. Its JVM
ignores Ctrl-C and exits when its standard input closes: it outlives neither an exception nor
SIGKILL of the harness. What it has to say while it starts goes to
a file, never to the terminal.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import logging
import os
import re
import signal
import threading
from collections.abc import Generator
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from highwater.checkers.class_archive import ClassArchive
from highwater.checkers.surroundings import (
    SETTINGS,
    home_in,
    master,
    places_in,
    prepare_environment,
)
from highwater.harness.errors import DeadlineError, InfrastructureError
from highwater.harness.jvm.java import Java, find_java
from highwater.harness.leases import LOCK, Lease
from highwater.harness.patience import is_interrupted
from highwater.harness.wait import wait_until

if TYPE_CHECKING:
    from pyspark import SparkContext

LOW_PRIORITY = 5
ENDING_S = 5.0
COMPLAINTS = "stderr.log"
SUBMITTED = "PYSPARK_GATEWAY_PORT"  # set by spark-submit for the program that it runs

RAISED = re.compile(r"(: )?[\w.]+(Error|Exception): ")

_lock = threading.Lock()
_starting: Future[SparkContext] | None = None
_launching = threading.Event()  # Spark's JVM, or nothing any more
_starter: threading.Thread | None = None  # whose child Spark's JVM is while it starts


def start_session(*, warm: bool = True) -> Future[SparkContext]:
    """Start Spark in the background, once per process: only the first call's argument counts.

    With `warm` it goes on to load what the first judgement needs. All of it runs at low priority,
    so a cluster that boots meanwhile comes first. The future raises InfrastructureError where
    Spark cannot run here.
    """
    global _starting, _starter  # noqa: PLW0603 - Spark itself allows one per process
    with _lock:
        if _starting is None:
            _starting = Future()
            _starter = threading.Thread(
                target=_fulfil, args=(_starting, warm), name="spark-start", daemon=True
            )
            _starter.start()
        return _starting


def start_first() -> None:
    """Start Spark before all else that is to be loaded: its JVM takes longest, and is launched."""
    start_session(warm=False)
    _launching.wait()


def session() -> SparkContext:
    """The context, started now if nobody has; raises InfrastructureError where it cannot run."""
    return start_session(warm=False).result()


@contextlib.contextmanager
def spark_errors_in_words() -> Generator[None]:
    """What Spark says when it breaks, or is gone, as InfrastructureError."""
    try:
        yield
    except Exception as error:
        # Not before: a second thread that imports PySpark while it starts finds half of it.
        from py4j.protocol import Py4JError  # noqa: PLC0415
        from pyspark.errors import PySparkException  # noqa: PLC0415

        if not isinstance(error, Py4JError | PySparkException | ConnectionError):
            raise
        raised = [line.lstrip(": ") for line in _words(error).splitlines() if RAISED.match(line)]
        ours = [line for line in raised if not line.startswith(("java", "org.apache"))]
        said = [*ours[-1:], *raised, "nothing"][0]
        raise InfrastructureError(
            f"Spark on {master()} did not judge; it said: {said}; is that master there, do its "
            "workers find this Python's packages and the record, and have they memory enough?"
        ) from error


def _words(error: Exception) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - Py4J asks a JVM that may be gone
        return ""


def stop_session() -> None:
    """End the session and its JVM; a later `start_session` starts a fresh one.

    Once this process has been told to end the JVM is killed, and no job of it waited for.
    """
    global _starting
    with _lock:
        started, _starting = _starting, None
    if started is not None and not is_interrupted() and started.exception() is None:
        _shut_down(started.result())
    elif started is not None and SUBMITTED not in os.environ:
        _kill(started)


def _kill(started: Future[SparkContext]) -> None:
    """End Spark's JVM at once, also while it starts; one not begun yet does not begin."""
    if started.done():
        from pyspark import SparkContext  # noqa: PLC0415 - see _start

        gateway = SparkContext._gateway  # noqa: SLF001 - see _shut_down
        if gateway is not None and started.exception() is None:
            # The thread that hears from the JVM would print a traceback when it is gone.
            server: Any = started.result()._accumulatorServer  # noqa: SLF001 - nobody else has it
            server.handle_error = lambda *_request: None
            gateway.proc.kill()
            gateway.proc.wait()
        return
    with contextlib.suppress(DeadlineError):  # then it ends with our end
        wait_until(lambda: _has_ended(started), "Spark to have ended", ENDING_S)


def _has_ended(starting: Future[SparkContext]) -> bool:
    """Kills the JVM that is being started, and says whether its starter has given up."""
    children = Path(f"/proc/self/task/{_starter.native_id if _starter else 0}/children")
    with contextlib.suppress(OSError):
        for pid in children.read_text().split():
            os.kill(int(pid), signal.SIGKILL)
    return starting.done()


def _fulfil(future: Future[SparkContext], warm: bool) -> None:
    if warm:
        os.setpriority(os.PRIO_PROCESS, 0, LOW_PRIORITY)  # this thread's, inherited by the JVM
    try:
        spark = _submitted() if SUBMITTED in os.environ else _start(find_java())
    except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the session
        future.set_exception(error)
        return
    finally:
        _launching.set()
    future.set_result(spark)
    if warm:
        from highwater.checkers.judge import warm_up  # noqa: PLC0415 - imports pyspark

        try:
            warm_up(spark)
        except Exception as error:  # noqa: BLE001 - it breaks again, and is told, with the first run
            logging.getLogger(__name__).debug("Spark did not warm up: %s", _words(error))


def _submitted() -> SparkContext:
    """The context of the spark-submit that runs us."""
    import pyspark  # noqa: PLC0415 - see _start

    conf = pyspark.SparkConf().setAppName(SETTINGS["spark.app.name"])
    return pyspark.SparkContext.getOrCreate(conf)


def _start(java: Java) -> SparkContext:
    # Imported here: half a second that the caller of start_session must not wait for.
    import pyspark  # noqa: PLC0415

    logging.getLogger("py4j").setLevel(logging.CRITICAL)  # it narrates every lost connection
    lease = Lease("spark-")
    directory = lease.__enter__().directory
    atexit.register(lease.__exit__, None, None, None)
    threading.Thread(target=_load_what_the_context_asks_for, daemon=True).start()
    package = Path(pyspark.__file__).parent
    prepare_environment(Path(java.path), home_in(directory, package))
    archive = ClassArchive(java, package)
    conf = pyspark.SparkConf(loadDefaults=False)
    conf.setAll([*SETTINGS.items(), *places_in(directory, archive.options()).items()])
    _launching.set()
    if is_interrupted():
        raise InfrastructureError("Spark is not started any more: this process has to end")
    gateway = _launch(conf, directory / COMPLAINTS)
    try:
        spark = pyspark.SparkContext(conf=conf, gateway=gateway)
        # Left to the JVM as well, for a harness that is killed cannot clean up.
        for left in (directory, directory / LOCK):  # the last one first
            gateway.jvm.java.io.File(str(left)).deleteOnExit()
        (directory / COMPLAINTS).unlink()
    except Exception as error:
        gateway.proc.stdin.close()  # the JVM exits when its standard input ends
        told = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise InfrastructureError(f"Spark does not start on {master()}: {told}") from error
    atexit.register(archive.keep)  # after what follows
    atexit.register(_shut_down, spark)
    return spark


def _load_what_the_context_asks_for() -> None:
    """While the JVM starts: the first call into it has PySpark look for pandas by importing it."""
    with contextlib.suppress(ImportError):
        importlib.import_module("pyspark.testing.utils")


def _launch(conf: Any, complaints: Path) -> Any:
    from pyspark import java_gateway  # noqa: PLC0415 - see _start
    from pyspark.errors import PySparkRuntimeError  # noqa: PLC0415

    launch: Any = java_gateway.launch_gateway

    with complaints.open("wb") as output:
        try:
            return launch(conf, {"stdout": output, "stderr": output})
        except PySparkRuntimeError as error:
            said = complaints.read_text(encoding="utf-8", errors="replace")[-2000:].strip()
            raise InfrastructureError(
                f"Spark's JVM ended before it answered; it said: {said or 'nothing'}"
            ) from error


def _shut_down(spark: SparkContext) -> None:
    """Stop Spark and its JVM, and wait until it has gone; may be asked for twice."""
    from pyspark import SparkContext  # noqa: PLC0415 - see _start

    if SUBMITTED in os.environ:  # the JVM is spark-submit's
        spark.stop()
        return
    gateway = SparkContext._gateway  # noqa: SLF001 - the one way to end the JVM for good
    if gateway is None or gateway.proc.poll() is not None:
        return
    # The server that hears from the JVM looks once a second whether it is to end, or when the JVM
    # has gone; so it is told first, and waited for last.
    server: Any = spark._accumulatorServer  # noqa: SLF001 - nobody else has it
    server.handle_error = lambda *_request: None
    hearing = threading.Thread(target=server.shutdown, name="spark-end")
    hearing.start()
    spark._accumulatorServer = None  # type: ignore[assignment]  # noqa: SLF001 - or stop() waits
    spark.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()
    hearing.join()
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001
