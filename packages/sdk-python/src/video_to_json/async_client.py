"""The client for asyncio programs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
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


class AsyncClient:
    """A client of one account, for asyncio. `Client` describes its methods.

    Every method raises ServiceError when the service refuses the request or the job fails, and
    VideoToJsonConnectionError when no answer of the service arrives.

    Args:
        api_key: The API key. By default the environment variable VIDEO_TO_JSON_API_KEY.
        base_url: The service's address. By default the environment variable VIDEO_TO_JSON_URL.
        timeout: Seconds that a call which only reads may take with all its retries; None for no limit.
        retries: How often a request is sent again after a transient error, at most.
        http_client: An `httpx.AsyncClient` to send with, for a proxy or a certificate. The caller closes it.

    Raises:
        ValueError: An option is missing or wrong.

    Example:
        >>> async with AsyncClient() as client:
        ...     answer = await client.extract(video="match.mp4", schema={"title": "string"})
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float | None = 30.0,
        retries: int = 4,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._connection = connection_of(api_key, base_url, timeout=timeout, retries=retries, library=library)
        self._http = http_client or httpx.AsyncClient()
        self._owns_http = http_client is None

    @overload
    async def extract(
        self, video: VideoSource, schema: type[ModelT], **options: Unpack[ExtractOptions]
    ) -> Extraction[ModelT]: ...

    @overload
    async def extract(
        self, video: VideoSource, schema: Mapping[str, Any] | str, **options: Unpack[ExtractOptions]
    ) -> Extraction[Any]: ...

    async def extract(self, video: VideoSource, schema: SchemaInput, **options: Unpack[ExtractOptions]) -> Extraction[Any]:
        """Turns a video into JSON that conforms to a schema. `Client.extract` describes the arguments."""
        # A pipe is copied first, and a disk may be slow.
        call = await asyncio.to_thread(Call, video, schema, **options)
        try:
            return await self._run(extract_steps(self._connection, call))
        finally:
            call.close()

    async def job(self, job_id: str) -> Job:
        """Reads one job of this account."""
        return await self._run(job_steps(self._connection, job_id))

    async def evidence(self, job_id: str) -> Evidence:
        """Reads the evidence of an extraction that was made with `evidence=True`."""
        return await self._run(evidence_steps(self._connection, job_id))

    async def jobs(
        self, *, limit: int | None = None, cursor: str | None = None, status: JobStatus | None = None
    ) -> JobPage:
        """Lists jobs, newest first: `limit` jobs (1 to 100, 20 by default) after `cursor`. `status`
        filters by status.
        """
        return await self._run(jobs_steps(self._connection, limit=limit, cursor=cursor, status=status))

    async def delete_job(self, job_id: str) -> None:
        """Erases the schema, the instructions, the data and the evidence of a finished job."""
        await self._run(delete_job_steps(self._connection, job_id))

    async def account(self) -> Account:
        """Reads the account of the key and its balance."""
        return await self._run(account_steps(self._connection))

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _run(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                try:
                    await self._perform(step)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = next(steps)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _perform(self, step: Step) -> None:
        if not isinstance(step, Send):
            log_pause(step.seconds)
            await asyncio.sleep(step.seconds)
            return
        request = self._http.build_request(
            step.method,
            self._connection.base_url + step.path,
            headers=headers_of(self._connection, step),
            content=_chunks(step.form) if step.form else None,
            timeout=timeout_of(step),
        )
        try:
            response = await self._http.send(request, stream=True, follow_redirects=False)
            try:
                begin(step, request, response)
                async for chunk in response.aiter_bytes():
                    step.reply.feed(chunk)
                    if step.reply.complete:
                        break
                step.reply.end()
            finally:
                await response.aclose()
        except httpx.RequestError as error:
            step.reply.fail(error)
        finally:
            log_reply(step)


async def _chunks(form: Form) -> AsyncIterator[bytes]:
    yield form.head
    for span in form.spans():
        # Runs in a thread, so that the disk does not block the other tasks.
        yield await asyncio.to_thread(form.read, span)
    yield form.tail
    form.end()
