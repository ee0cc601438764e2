"""What is asked again, and what never is; brokers that say so listen on a socket."""

from __future__ import annotations

import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from highwater.exploration import asking
from highwater.exploration.asking import is_not_now, patiently
from highwater.harness.addresses import written
from highwater.harness.errors import PreconditionError
from highwater.harness.gate.headers import PRODUCE
from highwater.harness.probes.wire import AnswerError, Wire

CONCURRENT, NOT_COORDINATOR, LOADING = 51, 16, 14
FENCED, OUT_OF_ORDER, NOT_LEADER = 90, 45, 6
SILENCE, HANGS_UP = -100, -101
SHORT_S = 0.3


class Broker(socketserver.TCPServer):
    """Answers each request with the next of these codes, and with the last one ever after."""

    def __init__(self, *codes: int) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self._codes = codes
        self.asked = 0

    def next_code(self) -> int:
        self.asked += 1
        return self._codes[min(self.asked, len(self._codes)) - 1]


class Answering(socketserver.StreamRequestHandler):
    """One connection, until it is closed."""

    server: Broker

    def handle(self) -> None:
        while size := self.rfile.read(4):
            self.rfile.read(struct.unpack(">i", size)[0])
            code = self.server.next_code()
            if code == HANGS_UP:
                return
            if code != SILENCE:
                self.wfile.write(struct.pack(">iih", 6, 1, code))


@contextmanager
def broker(*codes: int) -> Iterator[Broker]:
    with Broker(*codes) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield listening
        finally:
            listening.shutdown()
            thread.join(5)


def asked_of(listening: Broker) -> str:
    """As a producer asks; raises AnswerError for what is refused."""

    def ask() -> str:
        code = wire.ask(PRODUCE, 3, b"a record").int16()
        if code:
            raise AnswerError("a record", code)
        return "written"

    host, port = listening.socket.getsockname()
    with closing(Wire.at(written(host, port), SHORT_S)) as wire:
        return patiently(ask)


@pytest.mark.parametrize("unanswered", [SILENCE, HANGS_UP])
@pytest.mark.parametrize("before", [(), (CONCURRENT,)])
def test_what_is_not_answered_may_be_done_and_is_not_asked_again(
    unanswered: int, before: tuple[int, ...]
) -> None:
    with broker(*before, unanswered, 0) as listening, pytest.raises((OSError, EOFError)):
        asked_of(listening)

    assert listening.asked == len(before) + 1


def test_what_is_answered_with_not_now_is_asked_again() -> None:
    with broker(CONCURRENT, LOADING, NOT_COORDINATOR, 0) as listening:
        assert asked_of(listening) == "written"

    assert listening.asked == 4


@pytest.mark.parametrize("code", [FENCED, OUT_OF_ORDER, NOT_LEADER])
def test_another_refusal_is_raised_at_once(code: int) -> None:
    with broker(CONCURRENT, code, 0) as listening, pytest.raises(AnswerError) as refused:
        asked_of(listening)

    assert (refused.value.code, listening.asked) == (code, 2)


def test_what_is_refused_until_the_end_is_raised_as_it_was_refused_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asking, "PATIENCE_S", SHORT_S)
    codes = CONCURRENT, CONCURRENT, NOT_COORDINATOR
    with broker(*codes) as listening, pytest.raises(AnswerError) as refused:
        asked_of(listening)

    assert refused.value.code == NOT_COORDINATOR
    assert listening.asked > 2


def test_an_answer_may_be_nothing() -> None:
    answers: list[None] = []

    patiently(lambda: answers.append(None))

    assert len(answers) == 1


@pytest.mark.parametrize("error", [KeyError(-1), PreconditionError("none"), ValueError("bad")])
def test_what_is_no_answer_at_all_passes_through(error: Exception) -> None:
    asked: list[int] = []

    def ask() -> None:
        asked.append(1)
        raise error

    with pytest.raises(type(error)):
        patiently(ask)

    assert len(asked) == 1


def test_only_an_answer_is_a_not_now() -> None:
    assert is_not_now(AnswerError("beginning", CONCURRENT))
    assert not is_not_now(AnswerError("beginning", FENCED))
    assert not is_not_now(AnswerError("beginning", 31_000))  # an error that has no name yet
    assert not is_not_now(TimeoutError("no answer"))
