"""Places on a file system of Hadoop's, as the JVM of Spark's driver sees them.

Tasks have no such JVM at hand: what they read is brought to them, see `delivery`.
"""

from __future__ import annotations

import contextlib
import functools
import io
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from highwater.checkers.session import session, spark_errors_in_words
from highwater.harness.errors import RecordError, UsageError
from highwater.harness.record.place import Place

if TYPE_CHECKING:
    from pyspark import SparkContext

AT_ONCE_BYTES = 1 << 16  # as much as Arrow reads first, for a footer
URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")

# For what Hadoop would try for minutes before it says that nobody answers.
PATIENCE = {
    "ipc.client.connect.max.retries": "2",
    "ipc.client.connect.max.retries.on.timeouts": "1",
    "ipc.client.connect.timeout": "10000",
    "dfs.client.failover.max.attempts": "4",
}
# The first that fits; what is none of them is a mistake: no such host, no such class, no path.
ERRORS: dict[str, type[Exception]] = {
    "java.io.FileNotFoundException": FileNotFoundError,
    "org.apache.hadoop.fs.UnsupportedFileSystemException": UsageError,
    "java.io.IOException": RecordError,
}


def place_at(where: str) -> Place:
    """What has a scheme lies where Hadoop says, all else on this machine; may have to start Spark.

    Raises UsageError for what Hadoop does not know, RecordError where it cannot get to it.
    """
    if not URI.match(where):
        return Path(where)
    conf = _hadoop(session()).conf
    for name, value in PATIENCE.items():
        sources = conf.getPropertySources(name) or ()
        if all(source.endswith("-default.xml") for source in sources):  # nobody chose it
            conf.set(name, value)
    with _asking(where) as (system, path):
        system.setWriteChecksum(False)  # or file:/ gets a hidden file beside each that is written
        home = system.getWorkingDirectory()
        return HadoopPath(path.makeQualified(system.getUri(), home).toString())


@dataclass(frozen=True)
class Status:
    st_size: int


@dataclass(frozen=True)
class HadoopPath:
    """A Place; raises RecordError where Hadoop cannot do what it is asked."""

    uri: str  # as Hadoop itself writes it: with its scheme and host, and nothing escaped
    listed: Status | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.uri

    def __lt__(self, other: HadoopPath) -> bool:
        return self.uri.split("/") < other.uri.split("/")

    def __truediv__(self, name: str) -> HadoopPath:
        return HadoopPath(f"{self.uri.rstrip('/')}/{name}")

    @property
    def name(self) -> str:
        return self.uri.rpartition("/")[2]

    @property
    def parent(self) -> HadoopPath:
        return HadoopPath(self.uri.rpartition("/")[0])

    def with_name(self, name: str) -> HadoopPath:
        return self.parent / name

    def exists(self) -> bool:
        with _asking(self.uri) as (system, path):
            return bool(system.exists(path))

    def is_dir(self) -> bool:
        with _asking(self.uri) as (system, path):
            return bool(system.exists(path) and system.getFileStatus(path).isDirectory())

    def stat(self) -> Status:
        with _asking(self.uri) as (system, path):
            return self.listed or Status(system.getFileStatus(path).getLen())

    def glob(self, pattern: str) -> Iterator[HadoopPath]:
        """Below a directory that has what `**/` looks for, it looks no further."""
        name = pattern.removeprefix("**/")
        found = self._matching(name)
        for each in found:
            yield HadoopPath(each.getPath().toString(), Status(each.getLen()))
        if name != pattern and not found:
            for each in self._matching("*"):
                if each.isDirectory():
                    yield from HadoopPath(each.getPath().toString()).glob(pattern)

    def open(self, _mode: Literal["rb"] = "rb") -> io.BufferedReader:
        size = self.stat().st_size
        with _asking(self.uri) as (system, path):
            return io.BufferedReader(Stream(self.uri, system.open(path), size), AT_ONCE_BYTES)

    def read_bytes(self) -> bytes:
        with self.open() as file:
            return file.read(self.stat().st_size)

    def write_bytes(self, content: bytes) -> int:
        with (
            _asking(self.uri) as (system, path),
            contextlib.closing(system.create(path)) as stream,
        ):
            stream.write(content)
        return len(content)

    def replace(self, target: HadoopPath) -> HadoopPath:
        """Move it there, whatever is there already."""
        with _asking(target.uri) as (system, path):
            hadoop = _hadoop(session())
            # FileSystem's own rename would refuse; this wants an array of Java's: OVERWRITE alone.
            options = hadoop.package.Options.Rename.values()[1:2]
            context = hadoop.package.FileContext.getFileContext(system.getUri(), hadoop.conf)
            context.rename(hadoop.path(self.uri), path, options)
        return target

    def _matching(self, pattern: str) -> Sequence[Any]:
        with _asking(self.uri) as (system, _):
            wanted = f"{escaped(self.uri.rstrip('/'))}/{pattern}"
            return system.globStatus(_hadoop(session()).path(wanted)) or ()


class Stream(io.RawIOBase):
    """Reads no more of a file than it is asked for."""

    def __init__(self, uri: str, stream: Any, size: int) -> None:
        super().__init__()
        self._uri, self._stream, self._size, self._at = uri, stream, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), self._size - self._at)
        if wanted <= 0:
            return 0
        with _asking(self._uri):
            self._stream.seek(self._at)
            content = self._stream.readNBytes(wanted)
        buffer[: len(content)] = content
        self._at += len(content)
        return len(content)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._stream.close()


def escaped(uri: str) -> str:
    """A pattern that matches this alone."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", uri)


@contextlib.contextmanager
def _asking(uri: str) -> Generator[tuple[Any, Any]]:
    """Its file system and its path in the JVM, and what they throw as errors of ours."""
    from py4j.protocol import Py4JJavaError  # noqa: PLC0415 - slow to import, and rarely needed

    with spark_errors_in_words():
        try:
            hadoop = _hadoop(session())
            path = hadoop.path(uri)
            yield path.getFileSystem(hadoop.conf), path
        except Py4JJavaError as error:
            raise _error_of(uri, error.java_exception) from error


def _error_of(uri: str, thrown: Any) -> Exception:
    from py4j.java_gateway import is_instance_of  # noqa: PLC0415 - as above

    spark = session()
    about = spark._jvm.org.apache.commons.lang3.exception.ExceptionUtils  # type: ignore[union-attr]  # noqa: SLF001 - as below
    said, cause = about.getMessage(thrown), about.getRootCauseMessage(thrown)
    lines = said.splitlines() if cause.partition(": ")[2] in said else [f"{said} ({cause})"]
    told = f"{uri}: {lines[0]}"
    for kind, ours in ERRORS.items():
        if is_instance_of(spark._gateway, thrown, kind):  # noqa: SLF001 - as below
            return ours(told)
    return UsageError(told)


@dataclass(frozen=True)
class Hadoop:
    package: Any
    path: Any  # a class of the package
    conf: Any  # which tasks read with as well


@functools.lru_cache(maxsize=1)
def _hadoop(spark: SparkContext) -> Hadoop:
    """Kept, for each step on the way to a class is a question to the JVM."""
    package = spark._jvm.org.apache.hadoop.fs  # type: ignore[union-attr]  # noqa: SLF001 - no other way
    return Hadoop(package, package.Path, spark._jsc.hadoopConfiguration())  # noqa: SLF001 - as above
