"""The steps of an extraction (docs/decisions/0001-interface.md, "Held calls" and "Idempotency")."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from ..errors import (
    AnswerRejectedError,
    ServiceError,
    VideoToJsonConnectionError,
    VideoToJsonError,
    VideoToJsonTimeoutError,
    service_error,
    status_of,
)
from ..progress import Retrying
from ..shapes import Extraction, video_of
from .call import Call
from .check_reply import check_reply, error_inside, no_answer, refusal
from .connection import Connection
from .json_text import member_text, parse_json
from .reply import Reply
from .retries import Retries, is_transient
from .steps import HEAD_TIMEOUT, Pause, Send, Steps

_LARGE_FILE_BYTES = 128 * 2**20
# No job lives longer.
_LONGEST_SILENCE = 600.0
_ACCEPT = "text/event-stream, application/json;q=0.9"


def extract_steps(connection: Connection, call: Call) -> Steps[Extraction[Any]]:
    """Sends an extraction until it is answered. All tries have one key, so it is charged once at
    most.
    """
    retries = Retries(connection.retries)
    while True:
        try:
            answer = yield from _try_once(connection, call)
            break
        except VideoToJsonError as error:
            delay = None if call.is_reading_back else retries.delay_after(error)
            if delay is None:
                raise _with_advice(error, call) from error.__cause__
            call.report(Retrying(retries.attempt, error, delay))
            yield Pause(call.deadline.within(delay))
    return _parsed(call, answer)


def _try_once(connection: Connection, call: Call) -> Steps[Extraction[Any]]:
    if call.upload_broke:
        yield from _check_fields(connection, call)
    form = call.form()
    reply = Reply(call.deadline, call.on_event)
    own = {"accept": _ACCEPT, "accept-encoding": "identity", "idempotency-key": call.key}
    headers = {**own, **call.options, **form.headers}
    yield Send("POST", "/v1/extract", reply, call.deadline, headers, form)
    job_id = reply.headers.get("job-id")
    if not reply.complete and job_id and reply.status == 200:
        # The job was admitted before the connection broke, so its record has the answer, and nothing is sent
        # again.
        return (yield from _read_back(connection, call, job_id))
    if not reply.is_event_stream:
        call.upload_broke = reply.status == 0 and call.video is not None and not form.is_sent
        body = check_reply(connection, reply, "id", "data")
        replayed = reply.headers.get("idempotent-replayed") == "true"
        call.on_second_look(reply.headers.get("second-look-result"))
        return _extraction(call, body, reply.text, replayed)
    return _from_event(connection, call, reply)


def _check_fields(connection: Connection, call: Call) -> Steps[None]:
    """After a broken upload: sends the fields alone, and raises the refusal that may have been
    lost.
    """
    form = call.form(with_video=False)
    reply = Reply(call.deadline)
    yield Send("POST", "/v1/extract", reply, call.deadline, {**call.options, **form.headers}, form)
    if reply.status == 0 or not reply.complete:
        raise no_answer(connection, reply)
    error = refusal(connection, reply)
    if not (isinstance(error, ServiceError) and error.code == "video_missing"):
        raise error
    call.upload_broke = False


def _from_event(connection: Connection, call: Call, reply: Reply) -> Extraction[Any]:
    event = reply.last_event
    body = parse_json(event.data) if event else None
    if event is None or not isinstance(body, dict):
        raise no_answer(connection, reply)
    inside = error_inside(body)
    if event.name == "error" and inside is not None:
        raise service_error(
            inside,
            status=int(body.get("status") or status_of(inside["code"])),
            request_id=reply.headers.get("x-request-id"),
            job_id=reply.headers.get("job-id"),
            retry_after=event.retry_seconds,
        )
    return _extraction(call, body, event.data, call.replayed)


def _read_back(connection: Connection, call: Call, job_id: str) -> Steps[Extraction[Any]]:
    """Reads the job until it has finished, through gaps of the network. The longest life of a job limits this, not a
    number of tries. The service ends every job at its time limit, so a job that it calls open is waited for.
    """
    call.is_reading_back = True
    delay = 0.25
    until = time.monotonic() + _LONGEST_SILENCE
    while True:
        reply = Reply(call.deadline)
        silence = connection.timeout or HEAD_TIMEOUT
        yield Send("GET", f"/v1/jobs/{job_id}", reply, call.deadline, head_timeout=silence)
        try:
            record = check_reply(connection, reply, "id", "status")
        except VideoToJsonError as error:
            if not is_transient(error) or time.monotonic() > until:
                error.job_id = error.job_id or job_id
                raise
            yield Pause(call.deadline.within(max(delay, error.retry_after or 0.0)))
            delay = min(5.0, delay * 2)
            continue
        until = time.monotonic() + _LONGEST_SILENCE
        if record["status"] == "succeeded":
            call.on_second_look(reply.headers.get("second-look-result"))
            return _extraction(call, record, reply.text, call.replayed)
        if record["status"] == "failed":
            call.is_reading_back = False
            inside = error_inside(record) or {"code": "internal_error", "message": "The job failed. Try again."}
            raise service_error(inside, status=status_of(inside["code"]), job_id=job_id)
        call.wait(job_id=job_id)
        yield Pause(call.deadline.within(delay))
        delay = min(5.0, delay * 2)


def _extraction(call: Call, body: dict[str, Any], text: str, replayed: bool) -> Extraction[Any]:
    data_text = member_text(text, "data") or "null"
    video, billed = video_of(body["video"]), body["billed_seconds"]
    return Extraction(body["id"], body["data"], video, billed, data_text, replayed, call.warnings, call.second_look)


def _parsed(call: Call, answer: Extraction[Any]) -> Extraction[Any]:
    try:
        data = call.schema.parse(answer.data, answer.json)
    except Exception as error:
        message = f"The model class refused the answer of job {answer.id}: {error}"
        raise AnswerRejectedError(message, extraction=answer) from error
    return replace(answer, data=data)


def _with_advice(error: VideoToJsonError, call: Call) -> VideoToJsonError:
    """Adds advice for after the last try: how to read the answer later, or that the video changed.
    """
    if isinstance(error, ServiceError) and error.code == "idempotency_mismatch" and call.key_is_new:
        error.message = "The video changed between two tries. Send it again."
        error.args = (error.message,)
    if isinstance(error, VideoToJsonConnectionError):
        error.job_id = error.job_id or call.waiting.job_id
        if call.upload_broke and call.video and call.video.size > _LARGE_FILE_BYTES:
            error.message += " The service may refuse a file of this size."
        if error.retryable or error.job_id:
            error.idempotency_key = call.key
            read = f", or call job({error.job_id!r})" if error.job_id else ""
            error.message += (
                f" The job may still be running: repeat the request with idempotency_key={call.key!r} to get its answer"
                f" without a second charge{read}."
            )
        error.args = (error.message,)
        error.retryable = error.retryable or isinstance(error, VideoToJsonTimeoutError)
    return error
