"""The service's responses as frozen data classes. Members that a later service adds are ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypedDict, TypeVar

T = TypeVar("T")

JobStatus = Literal["queued", "running", "succeeded", "failed"]
Verdict = Literal["confirmed", "moved", "contradicted", "unconfirmed", "not_checked"]
Modality = Literal["visual", "speech", "text"]
SecondLook = Literal["off", "auto", "times"]
Detail = Literal["low", "standard", "high"]


class Clip(TypedDict, total=False):
    """A part of a video, as `MM:SS`. `start` is the start of the video by default, `end` its end.
    """

    start: str
    end: str


@dataclass(frozen=True)
class Video:
    """The video, as the service measured it."""

    duration_seconds: float


@dataclass(frozen=True)
class SchemaWarning:
    """A part of a request that may not mean what its author wanted: its place, its meaning as it is written, and what
    to write for another meaning.
    """

    path: str
    message: str
    hint: str


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
        warnings: The doubts about the request that ran nevertheless.
        second_look: How many times of the data got each verdict in the second look; None without one.
    """

    id: str
    data: T
    video: Video
    billed_seconds: int
    json: str
    replayed: bool
    warnings: tuple[SchemaWarning, ...] = ()
    second_look: Mapping[Verdict, int] | None = None


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
    clip: Clip | None
    detail: Detail


@dataclass(frozen=True)
class Job(JobSummary):
    """A job with everything that it keeps. `json` is the record's text as the service wrote it."""

    schema: dict[str, Any]
    instructions: str | None
    data: Any
    json: str


@dataclass(frozen=True)
class JobPage:
    """One page of the account's jobs, newest first. `next_cursor` reads the following ones; None on
    the last page.
    """

    jobs: tuple[JobSummary, ...]
    next_cursor: str | None


@dataclass(frozen=True)
class EvidenceSpan:
    """A part of the video that shows a value. `quote_found` is None if the quote could not be
    checked.
    """

    start_ms: int
    end_ms: int
    modality: Modality
    quote: str | None
    quote_found: bool | None
    read: str | None = None


@dataclass(frozen=True)
class FieldEvidence:
    """The evidence of one value, and the result of checking it.

    Attributes:
        verdict: The result of the checks.
        confidence: How likely the value is right, from 0 to 1, from the checks alone; None without checks.
        spans: Where the video shows it, in order of time.
        checked_ms: The start and end of the clip in which a time was checked; None if it was not checked
            in a clip.
        nearest_cut_ms: For a time, the nearest hard cut; None without a cut nearby.
    """

    verdict: Verdict
    confidence: float | None
    spans: tuple[EvidenceSpan, ...]
    checked_ms: tuple[int, int] | None
    nearest_cut_ms: int | None


@dataclass(frozen=True)
class Evidence:
    """The evidence of each value of an answer. All pointers are JSON pointers (RFC 6901) into its data.

    Attributes:
        job_id: The job's id.
        status: `partial` if there was not enough time for all checks, `unavailable` if nothing could be
            gathered.
        duration_ms: The measured length of the video.
        fields: The evidence of each value that certain parts of the video show.
        whole_video: The values that only the video as a whole shows.
        absent: The optional keys that the answer leaves out.
        json: The text as the service wrote it.
    """

    job_id: str
    status: Literal["complete", "partial", "unavailable"]
    duration_ms: int
    fields: Mapping[str, FieldEvidence]
    whole_video: tuple[str, ...]
    absent: tuple[str, ...]
    json: str


def evidence_of(body: Mapping[str, Any], text: str) -> Evidence:
    """Returns the evidence of a response body. `text` is the body as it arrived."""
    return Evidence(
        job_id=body["job_id"],
        status=body["status"],
        duration_ms=body["duration_ms"],
        fields={pointer: _field_of(field) for pointer, field in body["fields"].items()},
        whole_video=tuple(body["whole_video"]),
        absent=tuple(body["absent"]),
        json=text,
    )


def _field_of(body: Mapping[str, Any]) -> FieldEvidence:
    names = ("start_ms", "end_ms", "modality", "quote", "quote_found", "read")
    checked = body.get("checked")
    return FieldEvidence(
        verdict=body["verdict"],
        confidence=body.get("confidence"),
        spans=tuple(EvidenceSpan(**{name: span.get(name) for name in names}) for span in body["spans"]),
        checked_ms=(checked["from_ms"], checked["to_ms"]) if checked else None,
        nearest_cut_ms=body.get("nearest_cut_ms"),
    )


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
        "clip": body.get("clip"),
        "detail": body.get("detail", "standard"),
        "error": JobFailure(error["code"], error.get("message"), tuple(error.get("details") or ())) if error else None,
    }


def _time_of(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
