"""The client for programs that do not use asyncio."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, TypeVar, Unpack, overload

import httpx

from .core.call import Call, ExtractOptions
from .core.connection import connection_of
from .core.extract import extract_steps
from .core.reads import account_steps, delete_job_steps, evidence_steps, job_steps, jobs_steps
from .core.request import begin, headers_of, library, log_pause, log_reply, timeout_of
from .core.schema import ModelT, SchemaInput
from .core.steps import Send, Step, Steps
from .core.upload import Form
from .core.video import VideoSource
from .shapes import Account, Evidence, Extraction, Job, JobPage, JobStatus

T = TypeVar("T")


class Client:
    """A client of one account. Threads may share it.

    Every method raises ServiceError when the service refuses the request or the job fails, and
    VideoToJsonConnectionError when no answer of the service arrives.

    Args:
        api_key: The API key. By default the environment variable VIDEO_TO_JSON_API_KEY.
        base_url: The service's address. By default the environment variable VIDEO_TO_JSON_URL.
        timeout: Seconds that a call which only reads may take with all its retries; None for no limit.
        retries: How often a request is sent again after a transient error, at most.
        http_client: An `httpx.Client` to send with, for a proxy or a certificate. The caller closes it.

    Raises:
        ValueError: An option is missing or wrong.

    Example:
        >>> with Client() as client:
        ...     answer = client.extract(video="match.mp4", schema={"goals": [{"at": "timestamp", "scorer": "string?"}]})
        ...     print(answer.data["goals"], answer.billed_seconds)
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float | None = 30.0,
        retries: int = 4,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._connection = connection_of(api_key, base_url, timeout=timeout, retries=retries, library=library)
        self._http = http_client or httpx.Client()
        self._owns_http = http_client is None

    @overload
    def extract(
        self, video: VideoSource, schema: type[ModelT], **options: Unpack[ExtractOptions]
    ) -> Extraction[ModelT]: ...

    @overload
    def extract(
        self, video: VideoSource, schema: Mapping[str, Any] | str, **options: Unpack[ExtractOptions]
    ) -> Extraction[Any]: ...

    def extract(self, video: VideoSource, schema: SchemaInput, **options: Unpack[ExtractOptions]) -> Extraction[Any]:
        """Turns a video into JSON that conforms to a schema.

        Args:
            video: A path, a binary file object or bytes, which are uploaded, or a URL, which the service fetches.
            schema: A sketch or a JSON Schema as a dict or as JSON text, or a pydantic 2 model class.
            accept_warnings: Whether to run a schema that says something else than it probably means. By default the
                service refuses it for free with SchemaError, whose details say what to write.
            instructions: Context for the model, 10,000 characters at most.
            clip: The part of the video to look at, such as `{"start": "01:00", "end": "02:30"}`. Either may be left
                out. Only this part is billed. Times in the data count from the start of the video.
            detail: How closely the model looks: `low`, `standard` (the default) or `high`. The price is the same.
            evidence: Whether the service is to gather evidence of the data, which `evidence` reads. It takes longer.
            second_look: Whether the times of the answer are checked in clips of the video: "off", "auto" or
                "times". By default the service decides.
            idempotency_key: The name of this request for repeats of it. By default every call gets a new one.
            on_progress: Called for each step. What it raises ends the call.
            timeout: Seconds that the call may take with all its retries. By default it has no limit of its own.
            file_name: Replaces the name of the uploaded file.

        Returns:
            The data, the length of the video in seconds, the billed seconds and the job's id.

        Raises:
            TypeError: An argument cannot be sent.
            OSError: The file cannot be read.
            AnswerRejectedError: The model class refused the answer.
        """
        call = Call(video, schema, **options)
        try:
            return self._run(extract_steps(self._connection, call))
        finally:
            call.close()

    def job(self, job_id: str) -> Job:
        """Reads one job of this account."""
        return self._run(job_steps(self._connection, job_id))

    def evidence(self, job_id: str) -> Evidence:
        """Reads the evidence of an extraction that was made with `evidence=True`."""
        return self._run(evidence_steps(self._connection, job_id))

    def jobs(
        self, *, limit: int | None = None, cursor: str | None = None, status: JobStatus | None = None
    ) -> JobPage:
        """Lists jobs, newest first: `limit` jobs (1 to 100, 20 by default) after `cursor`. `status`
        filters by status.
        """
        return self._run(jobs_steps(self._connection, limit=limit, cursor=cursor, status=status))

    def delete_job(self, job_id: str) -> None:
        """Erases the schema, the instructions, the data and the evidence of a finished job."""
        self._run(delete_job_steps(self._connection, job_id))

    def account(self) -> Account:
        """Reads the account of the key and its balance."""
        return self._run(account_steps(self._connection))

    def close(self) -> None:
        """Closes the connections."""
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                try:
                    self._perform(step)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = next(steps)
        except StopIteration as end:
            result: T = end.value
            return result

    def _perform(self, step: Step) -> None:
        if not isinstance(step, Send):
            log_pause(step.seconds)
            time.sleep(step.seconds)
            return
        request = self._http.build_request(
            step.method,
            self._connection.base_url + step.path,
            headers=headers_of(self._connection, step),
            content=_chunks(step.form) if step.form else None,
            timeout=timeout_of(step),
        )
        try:
            response = self._http.send(request, stream=True, follow_redirects=False)
            try:
                begin(step, request, response)
                for chunk in response.iter_bytes():
                    step.reply.feed(chunk)
                    if step.reply.complete:
                        break
                step.reply.end()
            finally:
                response.close()
        except httpx.RequestError as error:
            step.reply.fail(error)
        finally:
            log_reply(step)


def _chunks(form: Form) -> Iterator[bytes]:
    yield form.head
    for span in form.spans():
        yield form.read(span)
    yield form.tail
    form.end()
