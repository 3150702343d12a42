"""The actions that a client performs for a call: it sends requests and pauses. All decisions are
made elsewhere.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar, Union

from .deadline import Deadline
from .reply import Reply
from .upload import Form

T = TypeVar("T")

# Seconds. An event stream sends something every 10 s. Any other answer may take as long as a job.
CONNECT_TIMEOUT = 20.0
WRITE_TIMEOUT = 60.0
HEAD_TIMEOUT = 600.0
EVENT_TIMEOUT = 45.0


@dataclass
class Send:
    """Send a request, and pass what arrives to `reply`."""

    method: str
    path: str
    reply: Reply
    deadline: Deadline
    headers: Mapping[str, str] = field(default_factory=dict)
    form: Form | None = None
    head_timeout: float = HEAD_TIMEOUT

    def timeouts(self) -> dict[str, float | None]:
        """Returns the seconds of silence that end the request, by phase."""
        within = self.deadline.within
        return {
            "connect": within(CONNECT_TIMEOUT),
            "pool": within(HEAD_TIMEOUT),
            "write": within(WRITE_TIMEOUT),
            "read": within(self.head_timeout),
        }


@dataclass
class Pause:
    """Wait for some seconds."""

    seconds: float


Step = Union[Send, Pause]
Steps = Generator[Step, None, T]
