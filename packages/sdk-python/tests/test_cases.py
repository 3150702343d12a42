"""The contract cases that drive every client, against the real service. A test of the repository starts them."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import httpx
import pytest
from video_to_json import AsyncClient, Client, ServiceError, VideoToJsonConnectionError

# Old versions of anyio load this when the first loop needs it, which fails when several threads do so at once.
importlib.import_module("anyio._backends._asyncio")

SETTINGS = json.loads(os.environ.get("SDK_CASES", "{}"))
CASES = json.loads(Path(SETTINGS["file"]).read_text()) if SETTINGS else []


class Runner:
    """One client. The methods of an AsyncClient are run to their end."""

    def __init__(self, kind: type, **options: Any) -> None:
        self.client = kind(**options)
        self.loop = asyncio.new_event_loop() if kind is AsyncClient else None

    def call(self, name: str, *args: Any, **options: Any) -> Any:
        result = getattr(self.client, name)(*args, **options)
        return self.loop.run_until_complete(result) if self.loop and inspect.isawaitable(result) else result

    def close(self) -> None:
        self.call("aclose" if self.loop else "close")
        if self.loop:
            self.loop.close()


KINDS: dict[str, type] = {"Client": Client, "AsyncClient": AsyncClient}
# A short run has each case with one of the two, in turns.
RUNS = [
    (index, kind)
    for index in range(len(CASES))
    for turn, kind in enumerate(KINDS)
    if SETTINGS["everyClient"] or index % 2 == turn
]


@pytest.fixture(scope="module")
def outcomes() -> Iterator[Callable[[int, str], None]]:
    """Runs the cases concurrently, because they mostly wait. Those with faults run alone."""
    with ThreadPoolExecutor(8) as pool:
        running = {run: pool.submit(run_case, *run) for run in RUNS if "faults" not in CASES[run[0]]}
        wait(running.values())
    yield lambda index, kind: running[index, kind].result() if (index, kind) in running else run_case(index, kind)


@pytest.mark.parametrize(("index", "kind"), RUNS, ids=[f"{CASES[index]['name']}-{kind}" for index, kind in RUNS])
def test_case(index: int, kind: str, outcomes: Callable[[int, str], None]) -> None:
    outcomes(index, kind)


def run_case(index: int, kind: str) -> None:
    """Makes the calls of a case. Checks each outcome and the sent requests."""
    case = CASES[index]
    begun = httpx.get(f"{SETTINGS['control']}/{kind}/{index}", timeout=60).json()
    key, base_url = begun["key"], begun["baseUrl"]

    def balance() -> int:
        if "key" in case:
            return 0
        with Client(key, SETTINGS["service"]) as direct:
            return direct.account().seconds_remaining

    before = balance()
    runner = Runner(KINDS[kind], api_key=key, base_url=base_url, retries=case.get("retries", 4))
    state: dict[str, str] = {}
    try:
        for call in case["calls"]:
            assert part(outcome_of(runner, call, state), call["expect"]) == call["expect"]
    finally:
        runner.close()
    seen = httpx.get(f"{base_url}/seen").json()
    posts = [request for request in seen if request["method"] == "POST"]
    wire = {
        "posts": len(posts),
        "reads": len(seen) - len(posts),
        "keys": len({request["key"] for request in posts if request["key"]}),
        "charged": before - balance(),
    }
    expected = {**case["wire"], **case.get("eventWire", {})}
    assert part(wire, expected) == expected


def part(value: Any, expected: Any) -> Any:
    """Returns the members of a value that the expectation names."""
    if isinstance(value, dict) and isinstance(expected, dict):
        return {name: part(value.get(name), member) for name, member in expected.items()}
    return value


def outcome_of(runner: Runner, call: dict[str, Any], state: dict[str, str]) -> dict[str, Any]:
    job_id = state["last"] if call.get("id") == "last" else call.get("id")
    try:
        match call.get("method", "extract"):
            case "job":
                job = runner.call("job", job_id)
                return {"job": {"status": job.status, "data": job.data}}
            case "evidence":
                evidence = runner.call("evidence", job_id)
                pointers = [*evidence.fields, *evidence.whole_video]
                return {"evidence": {"pointers": pointers, "absent": list(evidence.absent)}}
            case "jobs":
                page = runner.call("jobs", limit=call.get("limit"), status=call.get("status"))
                return {"page": {"jobs": len(page.jobs), "isLast": page.jobs[0].id == state["last"]}}
            case "deleteJob":
                runner.call("delete_job", job_id)
                return {"deleted": True}
            case "account":
                return {"account": {"isNumber": isinstance(runner.call("account").seconds_remaining, int)}}
            case _:
                return extraction(runner, call, state)
    except ServiceError as error:
        plain = {name: getattr(error, name) for name in ("code", "status", "retryable")}
        has = {"details": bool(error.details), "jobId": error.job_id is not None, "retryAfter": error.retry_after}
        return {"error": {"family": "service", **plain, **has}}
    except VideoToJsonConnectionError as error:
        plain = {"status": error.status, "retryable": error.retryable}
        return {"error": {"family": "connection", **plain, "idempotencyKey": error.idempotency_key is not None}}


def extraction(runner: Runner, call: dict[str, Any], state: dict[str, str]) -> dict[str, Any]:
    stages: list[str] = []
    video = call.get("video", {})
    answer = runner.call(
        "extract",
        video=bytes([7]) * video["bytes"] if "bytes" in video else video.get("url", SETTINGS["video"]),
        schema=call.get("schemaText") or call["schema"],
        evidence=call.get("evidence", False),
        accept_warnings=call.get("acceptWarnings", False),
        idempotency_key=call.get("idempotencyKey"),
        on_progress=lambda progress: stages.append(progress.stage) if stages[-1:] != [progress.stage] else None,
    )
    state["last"] = answer.id
    plain = {"data": answer.data, "billed_seconds": answer.billed_seconds, "replayed": answer.replayed}
    plain["warnings"] = [{"path": warning.path} for warning in answer.warnings]
    assert json.loads(answer.json) == answer.data
    return {"answer": plain, "progress": stages}
