"""The response to one request: a whole body, or the events of a held call."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .deadline import Deadline
from .event_stream import Event, EventReader


class Reply:
    """Collects the response to one request. `failure` is why it did not arrive completely."""

    def __init__(self, deadline: Deadline, on_event: Callable[[Event], None] | None = None) -> None:
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self.failure: Exception | None = None
        self.last_event: Event | None = None
        self.complete = False
        self._deadline = deadline
        self._on_event = on_event
        self._body = bytearray()
        self._events: EventReader | None = None

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Takes the head of the response. The names of the headers are in lower case."""
        self.status = status
        self.headers = headers
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if status == 200 and kind == "text/event-stream":
            self._events = EventReader()

    @property
    def is_event_stream(self) -> bool:
        """Whether the body is a stream of events."""
        return self._events is not None

    @property
    def text(self) -> str:
        """The body so far. Empty for a stream of events."""
        return self._body.decode("utf-8", "replace")

    def feed(self, chunk: bytes) -> None:
        """Takes the next bytes of the body. Sets `complete` when the last event has arrived."""
        self._deadline.check()
        if self._events is None:
            self._body += chunk
            return
        for event in self._events.feed(chunk):
            if self.complete:
                return
            if event.name in ("result", "error"):
                self.last_event = event
                self.complete = True
            if self._on_event:
                self._on_event(event)

    def end(self) -> None:
        """Records that the body has ended properly."""
        if self._events is None:
            self.complete = True

    def fail(self, failure: Exception) -> None:
        """Records why the rest will not arrive."""
        # The time limit of the call may be the cause.
        self._deadline.check()
        self.failure = failure
