"""Server-sent events, as the HTML standard defines them."""

from __future__ import annotations

import codecs
from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """One event. `name` is "" for a comment, which only shows that the service is alive."""

    name: str
    data: str
    retry_seconds: float | None = None


class EventReader:
    """Turns the bytes of a stream into events, wherever the chunks are split."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._start()

    def _start(self) -> None:
        self._name = ""
        self._data: list[str] = []
        self._retry: float | None = None

    def feed(self, chunk: bytes) -> list[Event]:
        """Returns the events that are complete with this chunk."""
        text = self._decoder.decode(chunk)
        # The buffer is searched only when a line may have ended, because an answer of many chunks is one
        # line.
        if "\n" not in text and "\r" not in text and not self._text.endswith("\r"):
            self._text += text
            return []
        lines = (self._text + text).replace("\r\n", "\n")
        # A CR at the end may be half of a CRLF.
        held = "\r" if lines.endswith("\r") else ""
        *complete, rest = lines.removesuffix(held).replace("\r", "\n").split("\n")
        self._text = rest + held
        return [event for line in complete if (event := self._line(line)) is not None]

    def _line(self, line: str) -> Event | None:
        if line.startswith(":"):
            return Event("", line[1:].strip())
        if line:
            name, _, value = line.partition(":")
            self._field(name, value.removeprefix(" "))
            return None
        event = Event(self._name or "message", "\n".join(self._data), self._retry) if self._data else None
        self._start()
        return event

    def _field(self, name: str, value: str) -> None:
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "retry" and value.isascii() and value.isdigit():
            self._retry = int(value) / 1000
