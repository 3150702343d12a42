"""The video of an extraction: a file, a file object, bytes, or a URL that the service fetches."""

from __future__ import annotations

import io
import os
import shutil
import stat
import tempfile
from typing import IO, Any, Union

VideoSource = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, IO[bytes]]


class OpenVideo:
    """An open video. It can be read in chunks, any number of times, and is never in memory as a whole."""

    def __init__(self, file: IO[bytes], name: str, *, start: int, size: int, ours: bool) -> None:
        self.name = name
        self.size = size
        self._file = file
        self._start = start
        self._ours = ours

    def read(self, position: int, length: int) -> bytes:
        """Reads up to `length` bytes from `position` on.

        Raises:
            OSError: The file cannot be read, or has become shorter.
        """
        self._file.seek(self._start + position)
        chunk = self._file.read(length)
        if not chunk:
            raise OSError(f"{self.name} became shorter during the upload. Send it again.")
        return chunk

    def close(self) -> None:
        """Closes the file if the caller did not open it."""
        if self._ours:
            self._file.close()


def url_of(video: Any) -> str | None:
    """Returns the address if the service is to fetch the video."""
    text = video if isinstance(video, str) else str(video) if type(video).__name__ == "URL" else ""
    return text if text[:8].lower().startswith(("http://", "https://")) else None


def open_video(video: VideoSource, file_name: str | None = None) -> OpenVideo:
    """Opens a video that is uploaded.

    Raises:
        TypeError: The argument is not a video.
        OSError: The file cannot be opened.
    """
    if isinstance(video, (bytes, bytearray, memoryview)):
        data = video if isinstance(video, bytes) else bytes(video)
        return OpenVideo(io.BytesIO(data), file_name or "video", start=0, size=len(data), ours=True)
    if isinstance(video, (str, os.PathLike)):
        path = os.fspath(video)
        # Opening a pipe would block until something writes to it.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise TypeError(f"{path} is not a file. Pass the path of a video file.")
        # Kept open for all tries, so that replacing the file between two tries does not change the request.
        file = open(path, "rb", buffering=0)
        size = os.fstat(file.fileno()).st_size
        return OpenVideo(file, file_name or os.path.basename(path), start=0, size=size, ours=True)
    if callable(getattr(video, "read", None)):
        return _open_file_object(video, file_name)
    raise TypeError("video is not a path, URL, binary file object or bytes. Pass one of them.")


def _open_file_object(file: IO[bytes], file_name: str | None) -> OpenVideo:
    own = getattr(file, "name", None)
    name = file_name or (os.path.basename(own) if isinstance(own, str) else "") or "video"
    if isinstance(file, io.TextIOBase):
        raise TypeError(f"{name} is open as text. Open it with mode \"rb\".")
    if callable(getattr(file, "seekable", None)) and file.seekable():
        start = file.tell()
        return OpenVideo(file, name, start=start, size=file.seek(0, io.SEEK_END) - start, ours=False)
    # A pipe can be read only once, but a retry reads again. So it is copied to disk.
    copy = tempfile.TemporaryFile()
    try:
        shutil.copyfileobj(file, copy, 256 * 1024)
        return OpenVideo(copy, name, start=0, size=copy.tell(), ours=True)
    except BaseException:
        copy.close()
        raise
