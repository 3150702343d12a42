"""The state of one extraction over all its tries."""

from __future__ import annotations

import json
import logging
import re
import time
import uuid
from dataclasses import replace
from typing import Any, TypedDict, cast

from ..progress import OnProgress, Progress, Uploading, Waiting
from ..shapes import Clip, Detail, SchemaWarning, SecondLook, Verdict
from .connection import check_timeout
from .deadline import Deadline
from .event_stream import Event
from .json_text import parse_json
from .schema import Schema, SchemaInput, schema_of
from .upload import Form
from .video import OpenVideo, VideoSource, open_video, url_of

log = logging.getLogger("video_to_json")


class ExtractOptions(TypedDict, total=False):
    """The options of `extract`, which `Client.extract` describes."""

    accept_warnings: bool
    instructions: str | None
    clip: Clip | None
    detail: Detail | None
    evidence: bool
    second_look: SecondLook | None
    idempotency_key: str | None
    on_progress: OnProgress | None
    timeout: float | None
    file_name: str | None


class Call:
    """One extraction: its arguments, its key, and the known facts about its job."""

    def __init__(
        self,
        video: VideoSource,
        schema: SchemaInput,
        *,
        accept_warnings: bool = False,
        instructions: str | None = None,
        clip: Clip | None = None,
        detail: Detail | None = None,
        evidence: bool = False,
        second_look: SecondLook | None = None,
        idempotency_key: str | None = None,
        on_progress: OnProgress | None = None,
        timeout: float | None = None,
        file_name: str | None = None,
    ) -> None:
        check_timeout(timeout)
        self.schema: Schema = schema_of(schema)
        self.key_is_new = idempotency_key is None
        self.key = _checked_key(idempotency_key) if idempotency_key is not None else str(uuid.uuid4())
        self.options: dict[str, str] = {} if accept_warnings else {"prefer": "handling=strict"}
        if evidence:
            self.options["extract-evidence"] = "fields"
        if second_look is not None:
            self.options["second-look"] = second_look
        self.deadline = Deadline(timeout)
        self.upload_broke = False
        self.waiting = Waiting(0.0)
        self.replayed = False
        self.warnings: tuple[SchemaWarning, ...] = ()
        self.second_look: dict[Verdict, int] | None = None
        # After a success, only reading the answer can fail. Sending the request again would not help.
        self.is_reading_back = False
        self._on_progress = on_progress
        self._sent_at = time.monotonic()
        url = url_of(video)
        self.video: OpenVideo | None = None if url else open_video(video, file_name)
        self._fields = {
            "schema": self.schema.text,
            "instructions": instructions,
            "clip": None if clip is None else json.dumps(dict(clip)),
            "detail": detail,
            "video_url": url,
        }

    def form(self, *, with_video: bool = True) -> Form:
        """Returns the body of the next try. Without the video, the service answers with the refusal
        that the fields alone cause.
        """
        if not with_video:
            return Form(self._fields, None, deadline=self.deadline)
        return Form(self._fields, self.video, deadline=self.deadline, on_sent=self._on_sent, on_end=self._on_end)

    def report(self, progress: Progress) -> None:
        """Calls the caller's function. An exception that it raises ends the extraction."""
        if self._on_progress:
            self._on_progress(progress)

    def wait(self, **changes: Any) -> None:
        """Reports that the call waits, with new facts about its job."""
        self.waiting = replace(self.waiting, elapsed_seconds=time.monotonic() - self._sent_at, **changes)
        self.report(self.waiting)

    def on_event(self, event: Event) -> None:
        """Handles one event of a held call."""
        body = parse_json(event.data) if event.name in ("admitted", "progress", "warning", "second_look") else None
        if event.name == "admitted" and isinstance(body, dict):
            self.replayed = body.get("replayed") is True
            self.warnings = ()
            self.wait(job_id=body.get("id"))
        elif event.name == "warning" and isinstance(body, dict):
            warning = SchemaWarning(*(str(body.get(name, "")) for name in ("path", "message", "hint")))
            self.warnings += (warning,)
            log.warning("%s: %s If not: %s", warning.path, warning.message, warning.hint)
        elif event.name == "second_look" and isinstance(body, dict):
            self.second_look = {verdict: int(count) for verdict, count in body.items()}
        elif event.name == "progress" and isinstance(body, dict):
            self.wait(job_stage=body.get("stage"), job_attempt=body.get("attempt"))
        elif event.name == "":
            self.wait()

    def on_second_look(self, header: str | None) -> None:
        """Reads the header that says what the second look found, such as `confirmed=5, moved=1`."""
        if header is not None:
            parts = (part.strip().split("=") for part in header.split(","))
            self.second_look = {cast("Verdict", verdict): int(count) for verdict, count in parts}

    def close(self) -> None:
        """Closes the video if this package opened it."""
        if self.video:
            self.video.close()

    def _on_sent(self, sent: int, total: int) -> None:
        self.report(Uploading(sent, total))

    def _on_end(self) -> None:
        self._sent_at = time.monotonic()
        self.waiting = Waiting(0.0)
        self.report(self.waiting)


def _checked_key(key: str) -> str:
    if isinstance(key, str) and re.fullmatch(r"[\x20-\x7e]{1,255}", key):
        return key
    raise TypeError("idempotency_key is invalid. Pass 1 to 255 printable ASCII characters.")
