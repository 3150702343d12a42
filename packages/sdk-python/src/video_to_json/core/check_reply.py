"""Turns a reply into its JSON, or into the error that it means."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from ..errors import ServiceError, VideoToJsonConnectionError, service_error
from .connection import Connection
from .json_text import parse_json
from .reply import Reply


def check_reply(connection: Connection, reply: Reply, *members: str) -> dict[str, Any]:
    """Returns the JSON object of a successful response that has all `members`.

    Raises:
        ServiceError: The body is the service's Error.
        VideoToJsonConnectionError: The response is anything else: a proxy's page, a redirect, half a body, no response.
    """
    if reply.failure is not None or not reply.complete:
        raise no_answer(connection, reply)
    status, body = reply.status, parse_json(reply.text)
    if 200 <= status < 300:
        # Retryable: the job may have been charged, and the same idempotency key reads its answer again.
        if not isinstance(body, dict):
            raise _foreign(connection, reply, "without valid JSON", retryable=True)
        if any(member not in body for member in members):
            raise _foreign(connection, reply, "with the JSON of another service")
        return body
    raise refusal(connection, reply)


def refusal(connection: Connection, reply: Reply) -> ServiceError | VideoToJsonConnectionError:
    """Returns the error of a complete response that is not a success."""
    status = reply.status
    if 300 <= status < 400:
        what = f"with a redirect{_target(connection, reply)}, which the client does not follow"
        return _foreign(connection, reply, what)
    inside = error_inside(parse_json(reply.text))
    if inside is not None:
        return service_error(inside, status=status, **_fields(reply))
    transient = status in (408, 425, 429) or status >= 500
    what = f"with status {status} and no error body of this service"
    return _foreign(connection, reply, what, retryable=transient)


def error_inside(body: Any) -> dict[str, Any] | None:
    """Returns the `error` member of an Error body, or None for any other JSON."""
    inside = body.get("error") if isinstance(body, dict) else None
    if isinstance(inside, dict) and isinstance(inside.get("code"), str) and isinstance(inside.get("message"), str):
        return inside
    return None


def no_answer(connection: Connection, reply: Reply) -> VideoToJsonConnectionError:
    """Returns the error for a connection that failed or broke."""
    failure = reply.failure
    reason = str(failure).rstrip(". ") or type(failure).__name__ if failure else "the answer ended too early"
    error = VideoToJsonConnectionError(
        f"No answer came from {connection.base_url}: {reason}. Check the address and the network, and try again.",
        retryable=True,
        job_id=reply.headers.get("job-id"),
        request_id=reply.headers.get("x-request-id"),
    )
    error.__cause__ = failure
    return error


def _foreign(
    connection: Connection, reply: Reply, what: str, *, retryable: bool = False
) -> VideoToJsonConnectionError:
    advice = "Try again later" if retryable else "Check base_url and any proxy"
    message = f"{connection.base_url} answered {what}. {advice}."
    return VideoToJsonConnectionError(message, status=reply.status, retryable=retryable, **_fields(reply))


def _fields(reply: Reply) -> Mapping[str, Any]:
    return {
        "request_id": reply.headers.get("x-request-id"),
        "job_id": reply.headers.get("job-id"),
        "retry_after": retry_after(reply.headers.get("retry-after")),
    }


def retry_after(header: str | None) -> float | None:
    """Reads a Retry-After header: a number of seconds or an HTTP date."""
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return float(header)
    try:
        moment = parsedate_to_datetime(header)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return float(max(0, math.ceil((moment - datetime.now(timezone.utc)).total_seconds())))


def _target(connection: Connection, reply: Reply) -> str:
    location = reply.headers.get("location")
    if not location:
        return ""
    try:
        url = urlsplit(urljoin(connection.base_url, location))
        return f" to {url.scheme}://{url.hostname}" + (f":{url.port}" if url.port else "")
    except ValueError:
        return ""
