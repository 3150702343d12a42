"""A loopback server that answers each request with the next handler, and records what arrives."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

JOB = "8e7f0f1c-3c4b-4c0e-9d43-0f6f4f3f2b11"
ANSWER = f'{{"id":"{JOB}","data":{{"b":1.10,"a":0}},"video":{{"duration_seconds":5.04}},"billed_seconds":60}}'
RECORD = (
    f'{{"id":"{JOB}","status":"%s","created_at":"2026-05-01T12:00:00.000Z","started_at":null,"finished_at":null,'
    '"schema":{},"instructions":null,"data":{"b":1.10,"a":0},"video":{"duration_seconds":5.04},"billed_seconds":60,'
    '"model":"m","error":null}'
)

Handler = Callable[["Request"], None]


class Seen(NamedTuple):
    """One received request. The names of its headers are in lower case."""

    command: str
    path: str
    headers: dict[str, str]


class Request(BaseHTTPRequestHandler):
    """One request. Its body is in `body`, unless the handler reads it."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do(self) -> None:
        # A connection has one object of this class for all its requests.
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Seen(self.command, self.path, headers))
        handler = self.server.handlers.pop(0) if len(self.server.handlers) > 1 else self.server.handlers[0]
        handler(self)

    do_GET = do_POST = do_DELETE = do

    def read_body(self) -> int:
        left = total = int(self.headers.get("content-length") or 0)
        while left > 0:
            left -= len(self.rfile.read(min(left, 1 << 18)))
        return total

    def reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """The server with its handlers and its requests."""

    daemon_threads = True

    def __init__(self, *handlers: Handler) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.handlers = list(handlers)
        self.requests: list[Seen] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: object) -> None:
        pass


@contextmanager
def service(*handlers: Handler) -> Iterator[Server]:
    with Server(*handlers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()


def answers(text: str, status: int = 200, **headers: str) -> Handler:
    """Answers with JSON after the whole body has arrived."""

    def handle(request: Request) -> None:
        request.read_body()
        request.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            request.send_header(name.replace("_", "-"), value)
        request.send_header("content-length", str(len(text.encode())))
        request.end_headers()
        request.wfile.write(text.encode())

    return handle


def refuses(status: int, code: str, **headers: str) -> Handler:
    """Answers with an Error body."""
    return answers(f'{{"error":{{"code":"{code}","message":"It is {code}."}}}}', status, **headers)


def streams(*events: str, then: Callable[[Request], None] | None = None) -> Handler:
    """Answers with events. Then the stream ends, or `then` is called."""

    def handle(request: Request) -> None:
        request.read_body()
        request.send_response(200)
        request.send_header("content-type", "text/event-stream")
        request.send_header("job-id", JOB)
        request.send_header("connection", "close")
        request.end_headers()
        request.close_connection = True
        for event in events:
            request.wfile.write(event.encode())
            request.wfile.flush()
        if then:
            then(request)

    return handle


def cuts(request: Request) -> None:
    """Breaks the connection at once."""
    request.reset()
