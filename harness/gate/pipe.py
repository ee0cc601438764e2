"""One direction of one connection: cuts the byte stream into frames and lets them through.

A frame that no rule could mean streams through as its bytes come. Any other is collected, judged,
and may stand; what comes behind it waits. While a frame stands, reading goes on up to a bound, so
that the other side's closing is noticed. Only where it is stalled nothing is read, and who closes
meanwhile is heard when it is over.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from highwater.harness.gate.dialogue import Dialogue
from highwater.harness.gate.engine import Judgement, Passage, RuleState
from highwater.harness.gate.frames import Frame, Stage
from highwater.harness.gate.headers import LENGTH, LONGEST_FRAME_BYTES, whole_frames
from highwater.harness.gate.heads import begun
from highwater.harness.gate.hub import Hub, Resolution
from highwater.harness.gate.owner import Owner
from highwater.harness.gate.primitives import DecodeError

_MOST_WAITING_BYTES = 64 << 20


class Pipe:
    def __init__(self, stage: Stage, hub: Hub, dialogue: Dialogue, owner: Owner) -> None:
        self.source: asyncio.Transport | None = None
        self.target: asyncio.Transport | None = None
        self.holder: RuleState | None = None
        self._stage: Stage = stage
        self._hub = hub
        self._dialogue = dialogue
        self._owner = owner
        self._buffer = bytearray()
        self._passable = 0  # bytes at the start of the buffer that only need writing
        self._streaming = 0  # bytes of the current frame that may pass unseen
        self._frame: Frame | None = None  # begun, but not complete
        self._passage: Passage | None = None  # standing or waiting
        self._timer: asyncio.TimerHandle | None = None
        self._target_is_full = False
        self._is_opaque = False
        self._is_ended = False

    @property
    def is_idle(self) -> bool:
        return self._passage is None and not self._buffer

    @property
    def behind(self) -> int:
        return whole_frames(self._buffer, self._passage.frame.length) if self._passage else 0

    def feed(self, data: bytes) -> None:
        if self._is_ended:
            return
        if self.target is None:  # a transport may read on before its pause takes effect
            self._buffer += data
            return
        if not self._buffer and self._streaming >= len(data):
            self._streaming -= len(data)
            self._write(data)
            return
        self._buffer += data
        self._pump()

    def connected(self) -> None:
        """There is a target now, for what has come meanwhile and what comes."""
        self._pump()

    def turn_opaque(self) -> None:
        """From here on bytes pass unseen: what comes is no Kafka frame."""
        self._is_opaque = True
        self._pump()

    def pause(self, target_is_full: bool) -> None:
        self._target_is_full = target_is_full
        self._mind_source()

    def resolve(self, how: Resolution) -> None:
        """Ends the hold: the frame goes on to the rules behind, or the connection ends with it."""
        passage, holder = self._passage, self.holder
        if passage is None or holder is None:
            return
        self._hub.leave(self)
        self._passage = self.holder = None
        if how == "pass" and holder.rule.action.kind == "stall":
            holder.counters.passed += 1
            self._hub.report("passed", passage.frame, holder)
            if not self._stalls(passage):
                self._pump()
                self._owner.resumed()
            return
        if how == "pass" and not holder.rule.action.half_close:
            if self._stage == "request":
                passage.frame = replace(passage.frame)  # somebody may have come to answer it
                self._keep(passage.frame)
            self._judge(passage)
            self._pump()
            self._owner.resumed()
            return
        holder.counters.dropped += 1
        self._hub.report("dropped", passage.frame, holder, reason="resolved")
        self._owner.close("dropped")

    def finish(self) -> None:
        """Discards what stands or waits: the connection is over."""
        self._is_ended = True
        if self._timer is not None:
            self._timer.cancel()
        if self._passage is not None:
            self._hub.leave(self)
            state = self.holder or self._passage.fired[-1]
            state.counters.dropped += 1
            self._hub.report("dropped", self._passage.frame, state, reason="closed")
        self._passage = self.holder = None
        self._buffer.clear()
        self._passable = 0

    @property
    def _is_heard(self) -> bool:
        return self.target is not None and not self.target.is_closing()

    def _write(self, data: bytes | bytearray) -> None:
        if self.target is not None and self._is_heard:
            self.target.write(data)

    def _pump(self) -> None:
        while self._passage is None and not self._is_ended and self._step():
            pass
        self._flush()
        self._mind_source()

    def _flush(self) -> None:
        if self._passable == len(self._buffer):
            passing, self._buffer = self._buffer, bytearray()
        else:
            passing = self._buffer[: self._passable]
            del self._buffer[: self._passable]
        self._passable = 0
        if passing:
            self._write(passing)

    def _mind_source(self) -> None:
        """Reads on unless that would only fill memory."""
        if self.source is None or self.source.is_closing():
            return
        too_much = self._passage is not None and len(self._buffer) > _MOST_WAITING_BYTES
        if self._target_is_full or too_much or self._is_stalled:
            self.source.pause_reading()
        else:
            self.source.resume_reading()

    def _step(self) -> bool:
        """Takes one frame, or one part of it, further; False when more bytes are needed."""
        present = len(self._buffer) - self._passable
        if self._is_opaque or self._streaming:
            passing = present if self._is_opaque else min(present, self._streaming)
            self._streaming = max(0, self._streaming - passing)
            self._passable += passing
            return passing > 0
        if self._frame is None:
            self._frame = self._begin(present)
            if self._frame is not None and self._stalls(Passage(self._frame)):
                return False
        if self._frame is None:
            return self._is_opaque
        return self._proceed(self._frame, present)

    @property
    def _is_stalled(self) -> bool:
        return self.holder is not None and self.holder.rule.action.kind == "stall"

    def _stalls(self, passage: Passage) -> bool:
        state = self._hub.engine.stalls(passage)
        if state is None:
            return False
        self._passage, self.holder = passage, state
        self._hub.stall(self, passage.frame, state, self.source)
        return True

    def _begin(self, present: int) -> Frame | None:
        if present < LENGTH.size:
            return None
        length: int = LENGTH.unpack_from(self._buffer, self._passable)[0]
        if not 0 <= length <= LONGEST_FRAME_BYTES:
            self._owner.turn_opaque()
            return None
        if self._dialogue.is_foreign:
            return self._dialogue.foreign_frame(self._stage, 4 + length)
        return begun(self._stage, self._dialogue, self._buffer, self._passable)

    def _proceed(self, frame: Frame, present: int) -> bool:
        is_seen = self._dialogue.sees(frame)
        wants_whole = self._dialogue.wants_whole(frame) or self._hub.readdresses(frame)
        if not (is_seen or wants_whole or self._hub.engine.is_interested(frame)):
            self._frame = None
            self._streaming = frame.length
            return True
        if present < frame.length:
            return False
        self._frame = None
        self._flush()
        if self._stage == "request":
            if is_seen:
                self._dialogue.see_request(self._raw(frame))
            self._keep(frame)
        else:
            instead = self._dialogue.own_answer or self._readdressed(frame)
            if instead is not None:
                self._replace(frame, instead)
            self._dialogue.complete_response(frame, self._raw(frame))
        self._judge(Passage(frame))
        return True

    def _keep(self, frame: Frame) -> None:
        kept = self._hub.engine.keeps(frame)
        self._dialogue.complete_request(frame, self._raw(frame), kept=kept)

    def _raw(self, frame: Frame) -> bytes:
        return bytes(memoryview(self._buffer)[: frame.length])

    def _readdressed(self, frame: Frame) -> bytes | None:
        """What says where the gate is and not where brokers are; None: nothing to change."""
        header = self._dialogue.answered_header
        if header is None or not self._hub.readdresses(frame):
            return None
        return self._hub.readdressed(header, self._raw(frame), frame.leader)

    def _replace(self, frame: Frame, instead: bytes) -> None:
        self._buffer[: frame.length] = instead
        frame.length = len(instead)

    def _judge(self, passage: Passage) -> None:
        judgement = self._hub.engine.judge(passage)
        frame, state = passage.frame, judgement.rule
        if state is None:
            self._deliver(passage)
        elif judgement.outcome == "hold":
            self._passage, self.holder = passage, state
            self._hub.stand(self, state)
            self._hub.report("standing", frame, state)
            if state.rule.action.half_close:
                self._owner.half_close(self._stage)
        elif judgement.outcome == "wait":
            self._wait(passage, judgement, state)
        elif judgement.outcome == "answer":
            self._answer(passage, state)
        else:
            event = "cut" if judgement.outcome == "cut" else "dropped"
            self._hub.report(event, frame, state)
            self._owner.close(event, abruptly=event == "cut")

    def _answer(self, passage: Passage, state: RuleState) -> None:
        """An error takes its place; as brokers do, nothing but the end where none is waited for."""
        frame, raw = passage.frame, self._raw(passage.frame)
        try:
            instead = self._dialogue.instead(frame, raw, state.rule)
        except DecodeError as reason:
            state.counters.unreadable += 1
            self._hub.report("unreadable", frame, state, reason=str(reason))
            self._judge(passage)
            return
        if instead == raw:  # it says so already
            self._judge(passage)
            return
        state.counters.answered += 1
        self._hub.report("answered", frame, state, error=state.rule.action.error)
        if instead is None:
            self._owner.close("refused")
            return
        self._replace(frame, instead)
        if self._stage == "response":
            self._dialogue.complete_response(frame, instead)
        self._judge(passage)

    def _wait(self, passage: Passage, judgement: Judgement, state: RuleState) -> None:
        self._passage = passage
        self._hub.report("delayed", passage.frame, state, wait_s=judgement.wait_s)
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(judgement.wait_s, self._waited)

    def _waited(self) -> None:
        passage, self._passage, self._timer = self._passage, None, None
        if passage is not None:
            self._judge(passage)
            self._pump()

    def _deliver(self, passage: Passage) -> None:
        """Writes first and tells then, so that what is reported as passed has gone."""
        self._passable = passage.frame.length
        self._flush()
        if self._is_heard:
            self._dialogue.delivered(passage.frame)
        for state in self._hub.engine.delivered(passage):
            self._hub.report("armed", passage.frame, state)
        for state in passage.fired:
            kind = state.rule.action.kind
            if kind in {"hold", "watch"}:
                self._hub.report("seen" if kind == "watch" else "passed", passage.frame, state)
