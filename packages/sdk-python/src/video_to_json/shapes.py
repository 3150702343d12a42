"""What the service answers, as frozen data classes. Members that a later service adds are ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

T = TypeVar("T")

JobStatus = Literal["queued", "running", "succeeded", "failed"]


@dataclass(frozen=True)
class Video:
    """The video, as the service measured it."""

    duration_seconds: float


@dataclass(frozen=True)
class Extraction(Generic[T]):
    """The answer of an extraction. `T` is the type of its data.

    Attributes:
        id: The job's id. `job(id)` reads it again.
        data: The data. It conforms to the schema.
        video: The length of the video in seconds.
        billed_seconds: What the job cost, in seconds.
        json: The data's JSON text as the service wrote it, with its key order and its number literals.
        replayed: Whether this is the answer of an earlier request with the same idempotency key.
    """

    id: str
    data: T
    video: Video
    billed_seconds: int
    json: str
    replayed: bool


@dataclass(frozen=True)
class Account:
    """The account of the key and its balance. Holds are not subtracted."""

    email: str
    minutes_remaining: float
    seconds_remaining: int


@dataclass(frozen=True)
class JobFailure:
    """Why a job failed. A list of jobs has the code only."""

    code: str
    message: str | None = None
    details: tuple[str, ...] = ()


@dataclass(frozen=True)
class JobSummary:
    """A job of a list: without its schema, instructions and data."""

    id: str
    status: JobStatus
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    video: Video | None
    billed_seconds: int
    model: str | None
    error: JobFailure | None


@dataclass(frozen=True)
class Job(JobSummary):
    """A job with everything that it keeps. `json` is the record's text as the service wrote it."""

    schema: dict[str, Any]
    instructions: str | None
    data: Any
    json: str


@dataclass(frozen=True)
class JobPage:
    """One page of the account's jobs, newest first. `next_cursor` reads those that follow; None if none do."""

    jobs: tuple[JobSummary, ...]
    next_cursor: str | None


def account_of(body: Mapping[str, Any]) -> Account:
    """Returns the account of a response body."""
    return Account(body["email"], body["minutes_remaining"], body["seconds_remaining"])


def video_of(body: Mapping[str, Any]) -> Video:
    """Returns the video of a response body."""
    return Video(body["duration_seconds"])


def job_of(body: Mapping[str, Any], text: str) -> Job:
    """Returns the job of a response body. `text` is the body as it arrived."""
    return Job(
        **_summary_fields(body),
        schema=body.get("schema") or {},
        instructions=body.get("instructions"),
        data=body.get("data"),
        json=text,
    )


def page_of(body: Mapping[str, Any]) -> JobPage:
    """Returns a page of jobs of a response body."""
    return JobPage(tuple(JobSummary(**_summary_fields(job)) for job in body["jobs"]), body["next_cursor"])


def _summary_fields(body: Mapping[str, Any]) -> dict[str, Any]:
    error = body.get("error")
    return {
        "id": body["id"],
        "status": body["status"],
        **{name: _time_of(body.get(name)) for name in ("created_at", "started_at", "finished_at")},
        "video": video_of(body["video"]) if body.get("video") else None,
        "billed_seconds": body.get("billed_seconds", 0),
        "model": body.get("model"),
        "error": JobFailure(error["code"], error.get("message"), tuple(error.get("details") or ())) if error else None,
    }


def _time_of(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
