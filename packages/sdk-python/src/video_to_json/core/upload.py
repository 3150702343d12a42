"""A `multipart/form-data` body of known length. It can be sent any number of times and is never in memory whole."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping

from .deadline import Deadline
from .video import OpenVideo

CHUNK_BYTES = 256 * 1024


class Form:
    """Text fields in order, followed by a file, so that the service can refuse the fields before
    the file arrives.
    """

    def __init__(
        self,
        fields: Mapping[str, str | None],
        video: OpenVideo | None,
        *,
        deadline: Deadline,
        on_sent: Callable[[int, int], None] | None = None,
        on_end: Callable[[], None] | None = None,
    ) -> None:
        boundary = f"video-to-json-{uuid.uuid4()}"
        head = "".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
            if value is not None
        )
        if video:
            name = _escaped(video.name)
            head += f'--{boundary}\r\nContent-Disposition: form-data; name="video"; filename="{name}"\r\n'
            head += "Content-Type: application/octet-stream\r\n\r\n"
        self.video = video
        self.head = head.encode("utf-8", "surrogateescape")
        self.tail = f"{chr(13) + chr(10) if video else ''}--{boundary}--\r\n".encode()
        self.is_sent = False
        self._deadline = deadline
        self._on_sent = on_sent
        self._on_end = on_end
        length = len(self.head) + (video.size if video else 0) + len(self.tail)
        self.headers = {
            "content-type": f"multipart/form-data; boundary={boundary}",
            "content-length": str(length),
        }

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yields the position and the length of each chunk of the file. Before each chunk, reports
        the bytes sent so far.
        """
        self.is_sent = False
        size = self.video.size if self.video else 0
        if self.video:
            self._report(0)
        for position in range(0, size, CHUNK_BYTES):
            self._deadline.check()
            length = min(CHUNK_BYTES, size - position)
            yield position, length
            self._report(position + length)

    def read(self, span: tuple[int, int]) -> bytes:
        """Reads one chunk of the file."""
        if self.video is None:
            return b""
        position, length = span
        chunk = self.video.read(position, length)
        while len(chunk) < length:
            chunk += self.video.read(position + len(chunk), length - len(chunk))
        return chunk

    def end(self) -> None:
        """Records that the whole body was taken."""
        self.is_sent = True
        if self._on_end:
            self._on_end()

    def _report(self, sent: int) -> None:
        if self._on_sent and self.video:
            self._on_sent(sent, self.video.size)


def _escaped(name: str) -> str:
    """Escapes a file name as browsers do in a form."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
