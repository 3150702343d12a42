"""The parts of a request and a response that both clients share."""

from __future__ import annotations

import logging

import httpx

from .connection import Connection
from .steps import EVENT_TIMEOUT, Send

log = logging.getLogger("video_to_json")

library = f"httpx/{httpx.__version__}"


def headers_of(connection: Connection, send: Send) -> dict[str, str]:
    """Returns the headers of a request."""
    return {
        "accept": "application/json",
        "user-agent": connection.user_agent,
        **send.headers,
        "authorization": f"Bearer {connection.api_key}",
    }


def timeout_of(send: Send) -> httpx.Timeout:
    """Returns the time limits of a request."""
    return httpx.Timeout(**send.timeouts())


def begin(send: Send, request: httpx.Request, response: httpx.Response) -> None:
    """Handles the head of a response. From here on, a stream of events may be silent for a short
    time only.
    """
    send.reply.begin(response.status_code, response.headers)
    if send.reply.is_event_stream:
        # httpx uses this very dictionary, and reads it again when the body is read.
        request.extensions["timeout"]["read"] = send.deadline.within(EVENT_TIMEOUT)


def log_reply(send: Send) -> None:
    """Logs one request. Neither keys nor contents are logged."""
    reply = send.reply
    outcome = reply.status or "no answer"
    if reply.failure is not None:
        outcome = f"{outcome}, broken: {type(reply.failure).__name__}"
    path = send.path.partition("?")[0]
    log.debug("%s %s: %s (request %s)", send.method, path, outcome, reply.headers.get("x-request-id", "unknown"))


def log_pause(seconds: float) -> None:
    """Logs a delay before a retry or before a job is read again."""
    log.debug("next request in %.2f s", seconds)
