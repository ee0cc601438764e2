"""A directory of this machine, served by HTTP: a Maven repository of a test's own."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is there
        pass


@contextmanager
def serve(root: Path, handler: type[SimpleHTTPRequestHandler] = Quiet) -> Iterator[str]:
    """Its address, as long as it lives."""
    serving = functools.partial(handler, directory=str(root))
    with ThreadingHTTPServer(("127.0.0.1", 0), serving) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()
