"""Where Spark runs, and with what: its home, its environment, its settings."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

# Spark only moves bytes here: the quick compiler and the plain collector win.
JVM_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData")

# Columns are of some megabytes each, and many: what one has left, glibc is to give to the next one,
# and not to the kernel, which has to fill it with zeros again. 32 MiB is the most that it takes.
KEPT_BYTES = {"MALLOC_MMAP_THRESHOLD_": 32 << 20, "MALLOC_TRIM_THRESHOLD_": 256 << 20}

# What travels is packed already, and few large pieces. Unless told otherwise Spark writes each of
# them into a file of its own, once for every part and task, and copies the files together: half of
# its time. Its checksums only say why something could not be decompressed, and nothing is.
SHUFFLE = {
    "spark.shuffle.compress": "false",
    "spark.shuffle.spill.compress": "false",
    "spark.shuffle.checksum.enabled": "false",
    "spark.shuffle.sort.bypassMergeThreshold": "1",
}

SETTINGS = {
    "spark.app.name": "highwater",
    "spark.ui.enabled": "false",
    **SHUFFLE,
    "spark.ui.showConsoleProgress": "false",
    "spark.cleaner.periodicGC.interval": "24h",
    **{f"spark.executorEnv.{name}": str(size) for name, size in KEPT_BYTES.items()},
}

# Nobody else is to reach a driver whose executors are all on this machine.
HERE = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
WORKERS = {"spark.python.daemon.module": "highwater.checkers.worker_daemon"}
ON_THIS_MACHINE = re.compile(r"local\b|spark://(127\.0\.0\.1|localhost)\b")

# Less than the 1024 MiB that a worker of local-cluster has by Spark's own example.
CLUSTER = {"spark.executor.memory": "900m"}


def master() -> str:
    """Where Spark is to run: HIGHWATER_SPARK_MASTER, or two cores of this machine."""
    return os.environ.get("HIGHWATER_SPARK_MASTER") or "local[2]"


def home_in(directory: Path, package: Path) -> Path:
    """Spark's home: the package, but for local-cluster, whose workers write into it."""
    if not master().startswith("local-cluster"):
        return package
    home = directory / "home"
    home.mkdir()
    for entry in package.iterdir():
        (home / entry.name).symlink_to(entry)
    return home


def prepare_environment(java: Path, spark_home: Path) -> None:
    """What Spark's launch script reads: nothing of another Spark on this machine may leak in."""
    os.environ["PYSPARK_PYTHON"] = sys.executable  # or its workers lack this environment's packages
    os.environ["SPARK_HOME"] = str(spark_home)
    if ON_THIS_MACHINE.match(master()):
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["SPARK_LAUNCHER_OPTS"] = " ".join(JVM_OPTIONS)
    if java.parent.name == "bin":
        os.environ.setdefault("JAVA_HOME", str(java.resolve().parent.parent))
    os.environ.pop("PYSPARK_SUBMIT_ARGS", None)


def places_in(directory: Path, sharing: tuple[str, ...]) -> dict[str, str]:
    logging = Path(__file__).with_name("log4j2.properties").resolve()
    options = (
        *JVM_OPTIONS,
        *sharing,
        f"-Djava.io.tmpdir={directory}",
        f"-Duser.home={directory}",  # Ivy wants to write there, and not everybody has one
        f"-Dlog4j2.configurationFile={logging.as_uri()}",
    )
    wanted = master()
    return {
        "spark.master": wanted,
        **(HERE | WORKERS if ON_THIS_MACHINE.match(wanted) else {}),
        **({} if wanted.startswith("local[") else CLUSTER),
        "spark.local.dir": str(directory),
        "spark.driver.extraJavaOptions": " ".join(map(_quoted, options)),
    }


def _quoted(option: str) -> str:
    """As Spark's launcher reads options: a directory may have blanks in its name."""
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
