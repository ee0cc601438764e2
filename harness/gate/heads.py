"""The first bytes of a frame: as many as say what it is."""

from __future__ import annotations

from highwater.harness.gate.acks import lacks_acks
from highwater.harness.gate.dialogue import Dialogue
from highwater.harness.gate.frames import Frame, Stage
from highwater.harness.gate.headers import LENGTH, header_bytes_needed

_LONGEST_HEAD_BYTES = 14 + (1 << 15)


def begun(stage: Stage, dialogue: Dialogue, buffer: bytearray, at: int) -> Frame | None:
    """The frame that begins there, whose length is there already; None: more bytes are needed."""
    present = len(buffer) - at
    length: int = LENGTH.unpack_from(buffer, at)[0]
    head = bytes(buffer[at : at + min(4 + length, _LONGEST_HEAD_BYTES)])
    if stage == "request":
        if len(head) < header_bytes_needed(head, length):
            return None
        if len(head) < min(4 + length, _LONGEST_HEAD_BYTES) and lacks_acks(head):
            return None
        return dialogue.begin_request(head, 4 + length)
    if present < min(8, 4 + length):
        return None
    correlation_id = int.from_bytes(head[4:8], "big", signed=True)
    return dialogue.begin_response(correlation_id, 4 + length)
