"""What `on_progress` receives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Union

from .errors import VideoToJsonError


@dataclass(frozen=True)
class Uploading:
    """Bytes of the video sent so far. They count from 0 again after `Retrying`."""

    sent_bytes: int
    total_bytes: int
    stage: Literal["uploading"] = "uploading"


@dataclass(frozen=True)
class Waiting:
    """Everything was sent. Reported at once, at every change, and whenever the service sends something.

    Attributes:
        elapsed_seconds: Since the upload ended.
        job_id: The job, as soon as it is admitted.
        job_stage: The stage of the job: obtaining, probing, uploading, analysing or settling.
        job_attempt: The number of the question to the model.
    """

    elapsed_seconds: float
    job_id: str | None = None
    job_stage: str | None = None
    job_attempt: int | None = None
    stage: Literal["waiting"] = "waiting"


@dataclass(frozen=True)
class Retrying:
    """A try failed for `reason`. Try number `attempt` starts in `delay_seconds`."""

    attempt: int
    reason: VideoToJsonError
    delay_seconds: float
    stage: Literal["retrying"] = "retrying"


Progress = Union[Uploading, Waiting, Retrying]
OnProgress = Callable[[Progress], None]
