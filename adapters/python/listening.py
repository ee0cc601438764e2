"""What a listener does that is a coroutine, whose library may not be waited for otherwise."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Dict, Tuple  # noqa: UP035 - for Python 3.8

Place = Tuple[str, int]  # noqa: UP006 - for Python 3.8
Commit = Callable[[Dict[Place, int]], Awaitable[None]]  # noqa: UP006


async def commit_within(member: Any, asked: Dict[Place, int], commit: Commit) -> None:  # noqa: UP006
    """Commit what the member has said that it is about to, and say what has become of it."""
    if not asked:
        return
    try:
        await commit(asked)
    except Exception as error:  # noqa: BLE001 - whatever its library raises is its answer
        member.answered(asked, error)
    else:
        member.answered(asked)
