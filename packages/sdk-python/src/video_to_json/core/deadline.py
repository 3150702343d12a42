"""The time limit of one call, over all its tries."""

from __future__ import annotations

import time

from ..errors import VideoToJsonTimeoutError


class Deadline:
    """The end of a call, on the monotonic clock."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds

    def within(self, seconds: float) -> float:
        """Returns `seconds`, or the remaining time of the call if that is less.

        Raises:
            VideoToJsonTimeoutError: No time is left.
        """
        left = seconds if self._end is None else min(seconds, self._end - time.monotonic())
        if left <= 0:
            message = f"The call took longer than its timeout of {self._seconds} s."
            raise VideoToJsonTimeoutError(message, retryable=True)
        return left

    def check(self) -> None:
        """Raises VideoToJsonTimeoutError after the end."""
        self.within(1.0)
