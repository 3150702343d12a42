"""Calls of both clients against a loopback server."""

from __future__ import annotations

import asyncio
import inspect
import logging
import resource
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from local_service import ANSWER, JOB, RECORD, answers, cuts, refuses, service, streams
from video_to_json import (
    AsyncClient,
    Client,
    InvalidRequestError,
    NotFoundError,
    OutOfMinutesError,
    Retrying,
    SchemaWarning,
    UnavailableError,
    Uploading,
    VideoToJsonConnectionError,
    VideoToJsonTimeoutError,
    Waiting,
    __version__,
)
from video_to_json.core.call import Call as Extract
from video_to_json.core import call as call_module
from video_to_json.core import extract as extract_module
from video_to_json.core import request as request_module
from video_to_json.core import retries
from video_to_json.core.video import open_video

ADMITTED = f'event: admitted\ndata: {{"id":"{JOB}","replayed":true}}\n\n'
PROGRESS = 'event: progress\ndata: {"stage":"analysing","attempt":2}\n\n'
RESULT = f"event: result\ndata: {ANSWER}\n\n"
Call = Callable[..., Any]


@pytest.fixture(autouse=True)
def short_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "_FIRST_DELAY", 0.01)


@pytest.fixture(params=[Client, AsyncClient], ids=lambda kind: kind.__name__)
def call(request: pytest.FixtureRequest) -> Call:
    """Returns a function that makes one call: `call(server, "extract", …)`."""

    def make(server: Any, name: str, *args: Any, options: dict[str, Any] | None = None, **named: Any) -> Any:
        async def with_asyncio() -> Any:
            async with AsyncClient("v2j_live_secret", server.url, **(options or {})) as client:
                return await getattr(client, name)(*args, **named)

        if request.param is AsyncClient:
            return asyncio.run(with_asyncio())
        with Client("v2j_live_secret", server.url, **(options or {})) as client:
            return getattr(client, name)(*args, **named)

    return make


def test_both_clients_have_the_same_methods_and_arguments() -> None:
    for name in ("extract", "job", "evidence", "jobs", "delete_job", "account"):
        ours, theirs = (inspect.signature(getattr(kind, name)) for kind in (Client, AsyncClient))
        assert ours == theirs


def test_events_become_progress_and_the_last_one_the_answer(call: Call) -> None:
    seen: list[Any] = []
    with service(streams(": hello\n\n", ADMITTED, PROGRESS, RESULT)) as server:
        answer = call(server, "extract", b"video", {"b": 0.0, "a": 0}, on_progress=seen.append)
    assert (answer.id, answer.json, answer.replayed) == (JOB, '{"b":1.10,"a":0}', True)
    assert (answer.video.duration_seconds, answer.billed_seconds) == (5.04, 60)
    assert seen[:2] == [Uploading(0, 5), Uploading(5, 5)]
    waits = [(one.job_id, one.job_stage, one.job_attempt) for one in seen[2:] if isinstance(one, Waiting)]
    assert waits == [(None, None, None)] * 2 + [(JOB, None, None), (JOB, "analysing", 2)]
    headers = server.requests[0].headers
    assert headers["accept"] == "text/event-stream, application/json;q=0.9"
    assert headers["user-agent"].startswith(f"video-to-json-python/{__version__} httpx/")
    assert headers["authorization"] == "Bearer v2j_live_secret"
    assert len(headers["idempotency-key"]) == 36
    assert "transfer-encoding" not in headers


def test_a_clip_and_a_detail_are_fields_of_the_form() -> None:
    form = Extract(b"video", {"a": "int"}, clip={"start": "01:00"}, detail="low").form()
    assert b'name="clip"\r\n\r\n{"start": "01:00"}\r\n' in form.head
    assert b'name="detail"\r\n\r\nlow\r\n' in form.head
    assert b'name="clip"' not in Extract(b"video", {"a": "int"}).form().head


def test_a_second_look_is_asked_for_with_a_header(call: Call) -> None:
    with service(answers(ANSWER)) as server:
        call(server, "extract", b"video", {"a": "int"}, second_look="times")
        call(server, "extract", b"video", {"a": "int"})
    assert [request.headers.get("second-look") for request in server.requests] == ["times", None]


def test_an_answer_says_what_its_second_look_found_from_an_event_or_a_header(call: Call) -> None:
    event = 'event: second_look\ndata: {"confirmed":5,"moved":1}\n\n'
    plain = answers(ANSWER, second_look_result="confirmed=2, moved=0")
    with service(streams(ADMITTED, event, RESULT), plain, answers(ANSWER)) as server:
        found = [call(server, "extract", b"video", {"a": "int"}).second_look for _ in range(3)]
    assert found == [{"confirmed": 5, "moved": 1}, {"confirmed": 2, "moved": 0}, None]


def test_a_doubtful_schema_is_refused_unless_its_warnings_are_accepted_and_they_are_returned_and_logged(
    call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    warning = 'event: warning\ndata: {"path":"/a","message":"One string.","hint":"write [\\"string\\"]"}\n\n'
    with service(streams(ADMITTED, warning, RESULT)) as server:
        answer = call(server, "extract", b"video", {"a": "array"}, accept_warnings=True)
        call(server, "extract", b"video", {"a": "int"})
    assert answer.warnings == (SchemaWarning("/a", "One string.", 'write ["string"]'),)
    assert '/a: One string. If not: write ["string"]' in [record.getMessage() for record in caplog.records]
    assert [request.headers.get("prefer") for request in server.requests] == [None, "handling=strict"]


def test_the_longest_life_of_a_job_limits_the_reading_back_and_not_a_number_of_tries(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    with service(streams(ADMITTED), *[cuts] * 3, answers(RECORD % "succeeded")) as server:
        assert call(server, "extract", b"video", {"a": "int"}, options={"retries": 1}).id == JOB
    assert len(server.requests) == 5
    monkeypatch.setattr(extract_module, "_LONGEST_SILENCE", 0.2)
    with service(streams(ADMITTED), cuts) as server, pytest.raises(VideoToJsonConnectionError) as caught:
        call(server, "extract", b"video", {"a": "int"})
    # A busy machine may have time for one reading only.
    assert [request.command for request in server.requests] in (["POST", "GET"], ["POST", "GET", "GET"])
    assert (caught.value.job_id, caught.value.retryable) == (JOB, True)
    assert caught.value.idempotency_key == server.requests[0].headers["idempotency-key"]


def test_a_failed_job_that_is_read_back_is_run_again_if_that_can_help(call: Call) -> None:
    failed = (RECORD % "failed").replace('"error":null', '"error":{"code":"provider_unavailable","message":"No."}')
    with service(streams(ADMITTED), answers(failed), answers(ANSWER)) as server:
        assert call(server, "extract", b"video", {"a": "int"}).id == JOB
    assert [request.command for request in server.requests] == ["POST", "GET", "POST"]


@pytest.mark.parametrize("then", [None, cuts], ids=["ends", "is reset"])
def test_a_stream_that_breaks_after_its_head_is_read_back_by_its_job(call: Call, then: Any) -> None:
    running, done = answers(RECORD % "running"), answers(RECORD % "succeeded")
    with service(streams(ADMITTED, then=then), refuses(503, "provider_unavailable"), running, done) as server:
        answer = call(server, "extract", b"video", {"a": "int"})
    assert (answer.json, answer.billed_seconds, answer.replayed) == ('{"b":1.10,"a":0}', 60, True)
    assert [request.command for request in server.requests] == ["POST", "GET", "GET", "GET"]
    assert {request.path for request in server.requests[1:]} == {f"/v1/jobs/{JOB}"}


def test_a_silent_stream_counts_as_broken(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_module, "EVENT_TIMEOUT", 0.1)
    silent = threading.Event()
    with service(streams(ADMITTED, then=lambda _: silent.wait(20)), answers(RECORD % "succeeded")) as server:
        answer = call(server, "extract", b"video", {"a": "int"})
        silent.set()
    assert answer.id == JOB


def test_a_job_that_fails_in_the_stream_has_its_error_and_is_tried_again(call: Call) -> None:
    failed = 'retry: 1000\nevent: error\ndata: {"status":503,"error":{"code":"provider_unavailable","message":"No."}}\n\n'
    with service(streams(ADMITTED, failed)) as server, pytest.raises(UnavailableError) as caught:
        call(server, "extract", b"video", {"a": "int"}, options={"retries": 0})
    error = caught.value
    assert (error.status, error.retry_after, error.job_id, error.retryable) == (503, 1.0, JOB, True)
    again = failed.replace("1000", "10")
    with service(streams(ADMITTED, again), streams(ADMITTED, RESULT)) as server:
        assert call(server, "extract", b"video", {"a": "int"}).id == JOB
    keys = {request.headers["idempotency-key"] for request in server.requests}
    assert (len(server.requests), len(keys)) == (2, 1)


def test_a_retry_is_reported_and_the_last_failure_names_the_key(call: Call) -> None:
    seen: list[Any] = []
    with service(cuts) as server, pytest.raises(VideoToJsonConnectionError) as caught:
        call(server, "extract", b"v", {"a": "int"}, on_progress=seen.append, options={"retries": 1}, idempotency_key="k")
    assert [one.attempt for one in seen if isinstance(one, Retrying)] == [2]
    assert caught.value.idempotency_key == "k"
    assert "idempotency_key='k'" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_video_that_changes_between_two_tries_is_named(call: Call) -> None:
    with service(refuses(500, "internal_error"), refuses(409, "idempotency_mismatch")) as server:
        with pytest.raises(InvalidRequestError, match="changed between two tries"):
            call(server, "extract", b"v", {"a": "int"})


def test_a_timeout_ends_the_call_and_names_job_and_key(call: Call) -> None:
    hold = threading.Event()
    with service(streams(ADMITTED, then=lambda _: hold.wait(20))) as server:
        with pytest.raises(VideoToJsonTimeoutError) as caught:
            # Long enough for a busy machine to read the first event.
            call(server, "extract", b"v", {"a": "int"}, timeout=3)
        hold.set()
    assert (caught.value.job_id, caught.value.idempotency_key is None) == (JOB, False)
    assert isinstance(caught.value, TimeoutError)


def test_a_read_ends_after_the_timeout_of_the_client(call: Call) -> None:
    hold = threading.Event()
    with service(lambda _: bool(hold.wait(20)) and None) as server:
        with pytest.raises(VideoToJsonTimeoutError):
            call(server, "account", options={"timeout": 0.2})
        hold.set()


def test_what_on_progress_raises_ends_the_call(call: Call) -> None:
    def stop(_: Any) -> None:
        raise LookupError("enough")

    with service(answers(ANSWER)) as server, pytest.raises(LookupError, match="enough"):
        call(server, "extract", b"v", {"a": "int"}, on_progress=stop)


def test_a_deletion_whose_answer_was_lost_is_done(call: Call) -> None:
    with service(cuts, refuses(404, "not_found")) as server:
        assert call(server, "delete_job", JOB) is None
    assert [request.path for request in server.requests] == [f"/v1/jobs/{JOB}"] * 2


def test_a_deletion_of_an_unknown_job_is_refused(call: Call) -> None:
    with service(refuses(404, "not_found")) as server, pytest.raises(NotFoundError):
        call(server, "delete_job", JOB)


def test_a_list_sends_its_query_and_returns_a_page(call: Call) -> None:
    page = f'{{"jobs":[{RECORD % "succeeded"}],"next_cursor":"c"}}'
    with service(answers(page)) as server:
        jobs = call(server, "jobs", limit=1, cursor="a&b", status="failed")
    assert server.requests[0].path == "/v1/jobs?limit=1&cursor=a%26b&status=failed"
    assert (jobs.next_cursor, jobs.jobs[0].created_at.year) == ("c", 2026)


def test_a_large_file_is_never_in_memory(call: Call, tmp_path: Path) -> None:
    size = 64 * 2**20
    path = tmp_path / "large.mp4"
    with path.open("wb") as file:
        file.truncate(size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sent: list[int] = []
    with service(answers(ANSWER)) as server:
        call(server, "extract", path, {"a": "int"}, on_progress=lambda one: sent.append(getattr(one, "sent_bytes", 0)))
    assert max(sent) == size
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 40


def test_a_large_file_whose_upload_breaks_has_its_size_in_the_error(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "large.mp4"
    with path.open("wb") as file:
        file.truncate(129 * 2**20)
    with service(cuts) as server, pytest.raises(VideoToJsonConnectionError, match="may refuse a file of this size"):
        call(server, "extract", path, {"a": "int"}, options={"retries": 0})


def test_after_an_upload_that_broke_the_fields_alone_get_the_refusal(call: Call) -> None:
    # Larger than the buffers of client and server together.
    video = bytes(40_000_000)
    with service(cuts, refuses(402, "out_of_minutes")) as server, pytest.raises(OutOfMinutesError):
        call(server, "extract", video, {"a": "int"})
    assert int(server.requests[1].headers["content-length"]) < 1000
    assert "idempotency-key" not in server.requests[1].headers
    with service(cuts, refuses(400, "video_missing"), answers(ANSWER)) as server:
        assert call(server, "extract", video, {"a": "int"}).id == JOB
    assert int(server.requests[2].headers["content-length"]) > len(video)


def test_requests_are_logged_without_the_key(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    account = '{"email":"a@example.com","minutes_remaining":1.5,"seconds_remaining":90}'
    with caplog.at_level(logging.DEBUG, "video_to_json"), service(answers(account, x_request_id="r1")) as server:
        assert call(server, "account").seconds_remaining == 90
    ours = [record.getMessage() for record in caplog.records if record.name == "video_to_json"]
    assert ours == ["GET /v1/me: 200 (request r1)"]


def test_a_cancelled_task_closes_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "clip.mp4"
    path.write_bytes(b"video")
    hold = threading.Event()
    opened: list[Any] = []

    def open_and_note(*args: Any) -> Any:
        opened.append(open_video(*args))
        return opened[-1]

    monkeypatch.setattr(call_module, "open_video", open_and_note)

    async def cancel(server: Any) -> None:
        async with AsyncClient("k", server.url) as client:
            admitted = asyncio.Event()
            note = lambda one: admitted.set() if getattr(one, "job_id", None) else None  # noqa: E731
            task = asyncio.create_task(client.extract(path, {"a": "int"}, on_progress=note))
            await admitted.wait()
            assert not opened[0]._file.closed
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert opened[0]._file.closed

    with service(streams(ADMITTED, then=lambda _: hold.wait(20))) as server:
        asyncio.run(cancel(server))
        hold.set()
