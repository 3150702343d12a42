"""The errors of this package. Programs check the class or the `code`; messages are for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .shapes import Extraction


class VideoToJsonError(Exception):
    """The base class of every error that the service or the connection causes.

    Attributes:
        message: What went wrong and what to do.
        status: HTTP status, if a response arrived.
        request_id: The request's id, for support.
        job_id: The job, if there is one. `job(job_id)` reads it.
        retry_after: Seconds to wait before the next try, if the service named them.
        retryable: Whether the same request can succeed later. The client has already tried again.
        idempotency_key: After an extraction without an answer: the key that gets it later, without a second charge.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        job_id: str | None = None,
        retry_after: float | None = None,
        retryable: bool = False,
        idempotency_key: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.request_id = request_id
        self.job_id = job_id
        self.retry_after = retry_after
        self.retryable = retryable
        self.idempotency_key = idempotency_key

    def __reduce__(self) -> Any:
        # Without this, pickle could not restore an error from another process.
        return (_rebuilt, (type(self), self.args, self.__dict__))


def _rebuilt(kind: type[VideoToJsonError], args: tuple[Any, ...], state: dict[str, Any]) -> VideoToJsonError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    error.args = args
    return error


class ServiceError(VideoToJsonError):
    """The service refused the request, or the job failed. A failed job costs nothing.

    Attributes:
        code: The error's stable name, as docs/errors.md lists it.
        details: The specific faults. Those of a schema or an answer read `<JSON pointer>: <reason>`.
    """

    def __init__(self, message: str, *, code: str, details: tuple[str, ...] = (), **fields: Any) -> None:
        super().__init__(message, **fields)
        self.code = code
        self.details = details

    def __str__(self) -> str:
        return "\n".join([f"{self.code}: {self.message}", *self.details])


class AuthenticationError(ServiceError):
    """The key is missing, unknown or revoked: `unauthorised`."""


class SchemaError(ServiceError):
    """The schema cannot be used: `schema_missing`, `schema_invalid`."""


class VideoError(ServiceError):
    """The video cannot be used: missing, unreachable, unreadable, too long or too large."""


class OutOfMinutesError(ServiceError):
    """The balance does not cover the video: `out_of_minutes`. Nothing was charged."""


class RateLimitError(ServiceError):
    """Too many requests or jobs at once: `rate_limited`, `too_many_jobs`."""


class ExtractionFailedError(ServiceError):
    """No answer conformed to the schema: `extraction_failed`. Nothing was charged."""


class UnavailableError(ServiceError):
    """The service or its provider has a fault: `provider_unavailable`, `internal_error`. Nothing was charged."""


class InvalidRequestError(ServiceError):
    """The request is wrong in another way: `invalid_request`, `idempotency_mismatch`."""


class NotFoundError(ServiceError):
    """This account has no such job: `not_found`."""


class VideoToJsonConnectionError(VideoToJsonError):
    """No answer of the service arrived: the connection failed, or something else answered, such as a proxy.

    After an extraction it is unknown whether the job ran. The same request with `idempotency_key` gets its answer.
    """


class VideoToJsonTimeoutError(VideoToJsonConnectionError, TimeoutError):
    """The call took longer than its `timeout`. A job that was admitted continues."""


class AnswerRejectedError(VideoToJsonError):
    """The answer conforms to the JSON Schema, but the model class refused it. `__cause__` is the model's error.

    Attributes:
        extraction: The answer, which was charged, with its data as plain JSON values.
    """

    def __init__(self, message: str, *, extraction: Extraction[Any]) -> None:
        super().__init__(message, job_id=extraction.id)
        self.extraction = extraction


# Every code, with its status and its class. A test compares it with docs/errors.md.
_families: Mapping[str, tuple[int, type[ServiceError]]] = {
    "unauthorised": (401, AuthenticationError),
    "schema_missing": (400, SchemaError),
    "schema_invalid": (400, SchemaError),
    "video_missing": (400, VideoError),
    "video_unreachable": (400, VideoError),
    "media_unreadable": (415, VideoError),
    "video_too_long": (413, VideoError),
    "file_too_large": (413, VideoError),
    "out_of_minutes": (402, OutOfMinutesError),
    "too_many_jobs": (429, RateLimitError),
    "rate_limited": (429, RateLimitError),
    "extraction_failed": (422, ExtractionFailedError),
    "provider_unavailable": (503, UnavailableError),
    "invalid_request": (400, InvalidRequestError),
    "idempotency_mismatch": (409, InvalidRequestError),
    "not_found": (404, NotFoundError),
    "internal_error": (500, UnavailableError),
}


def status_of(code: str) -> int:
    """Returns the HTTP status of a code. A code that this version does not know counts as a fault of the service."""
    return _families[code][0] if code in _families else 500


def service_error(inside: Mapping[str, Any], *, status: int, **fields: Any) -> ServiceError:
    """Creates the error for the `error` member of an Error body. `fields` are those of VideoToJsonError."""
    code = str(inside["code"])
    kind: type[ServiceError] = _families[code][1] if code in _families else ServiceError
    details = tuple(str(detail) for detail in inside.get("details") or ())
    retryable = status == 429 or status >= 500
    message = str(inside["message"])
    error: ServiceError = kind(message, code=code, details=details, status=status, retryable=retryable, **fields)
    return error
