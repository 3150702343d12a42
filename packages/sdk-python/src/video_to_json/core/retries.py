"""When a request is sent again, and after which delay: the rules of the TypeScript package."""

from __future__ import annotations

import random

from ..errors import ServiceError, VideoToJsonConnectionError, VideoToJsonError, VideoToJsonTimeoutError

_FIRST_DELAY = 0.5
_LONGEST_DELAY = 8.0
_LONGEST_RETRY_AFTER = 60.0


class Retries:
    """Counts the tries of one call."""

    def __init__(self, most: int) -> None:
        self._left = most
        self.attempt = 1

    def delay_after(self, error: VideoToJsonError) -> float | None:
        """Returns the seconds before the next try, or None if the error is lasting or no try is left.

        Delays grow exponentially with jitter and are at least as long as `Retry-After`. A `Retry-After` over 60 s ends
        the tries, because the client does not know how long its caller can wait.
        """
        if self._left <= 0 or not is_transient(error):
            return None
        self._left -= 1
        full = min(_LONGEST_DELAY, _FIRST_DELAY * 2.0 ** (self.attempt - 1))
        self.attempt += 1
        return max(full * (0.5 + random.random() / 2), error.retry_after or 0.0)


def is_transient(error: VideoToJsonError) -> bool:
    """Whether another try can succeed soon."""
    if not isinstance(error, (ServiceError, VideoToJsonConnectionError)) or isinstance(error, VideoToJsonTimeoutError):
        return False
    return error.retryable and (error.retry_after or 0.0) <= _LONGEST_RETRY_AFTER
