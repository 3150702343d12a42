"""The steps of the calls that read or erase."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from ..errors import NotFoundError, VideoToJsonError
from ..shapes import Account, Evidence, Job, JobPage, account_of, evidence_of, job_of, page_of
from .check_reply import check_reply, no_answer, refusal
from .connection import Connection
from .deadline import Deadline
from .reply import Reply
from .retries import Retries
from .steps import Pause, Send, Steps

T = TypeVar("T")


def account_steps(connection: Connection) -> Steps[Account]:
    """Reads the account."""

    def take(reply: Reply) -> Account:
        return account_of(check_reply(connection, reply, "email", "minutes_remaining", "seconds_remaining"))

    return _ask(connection, "GET", "/v1/me", take)


def job_steps(connection: Connection, job_id: str) -> Steps[Job]:
    """Reads one job."""

    def take(reply: Reply) -> Job:
        return job_of(check_reply(connection, reply, "id", "status", "created_at"), reply.text)

    return _ask(connection, "GET", f"/v1/jobs/{quote(job_id, safe='')}", take)


def evidence_steps(connection: Connection, job_id: str) -> Steps[Evidence]:
    """Reads the evidence of one job."""

    def take(reply: Reply) -> Evidence:
        return evidence_of(check_reply(connection, reply, "job_id", "status", "fields"), reply.text)

    return _ask(connection, "GET", f"/v1/jobs/{quote(job_id, safe='')}/evidence", take)


def jobs_steps(connection: Connection, **query: Any) -> Steps[JobPage]:
    """Lists one page of jobs."""

    def take(reply: Reply) -> JobPage:
        return page_of(check_reply(connection, reply, "jobs", "next_cursor"))

    text = urlencode({name: value for name, value in query.items() if value is not None})
    return _ask(connection, "GET", f"/v1/jobs?{text}" if text else "/v1/jobs", take)


def delete_job_steps(connection: Connection, job_id: str) -> Steps[None]:
    """Erases a finished job."""
    tries = 0

    def take(reply: Reply) -> None:
        nonlocal tries
        tries += 1
        if reply.failure is not None or not reply.complete:
            raise no_answer(connection, reply)
        if 200 <= reply.status < 300:
            return
        error = refusal(connection, reply)
        # An earlier try, whose answer was lost, erased it.
        if not (isinstance(error, NotFoundError) and tries > 1):
            raise error

    return _ask(connection, "DELETE", f"/v1/jobs/{quote(job_id, safe='')}", take)


def _ask(connection: Connection, method: str, path: str, take: Callable[[Reply], T]) -> Steps[T]:
    """Sends a request without a body until it is answered. Repeats it after transient errors."""
    deadline = Deadline(connection.timeout)
    retries = Retries(connection.retries)
    while True:
        reply = Reply(deadline)
        try:
            yield Send(method, path, reply, deadline)
            return take(reply)
        except VideoToJsonError as error:
            delay = retries.delay_after(error)
            if delay is None:
                raise
            yield Pause(deadline.within(delay))
