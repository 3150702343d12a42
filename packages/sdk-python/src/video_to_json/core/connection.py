"""The validated options of a client."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ..version import __version__


@dataclass(frozen=True)
class Connection:
    """The address and the key of requests, and how often they are repeated."""

    base_url: str
    api_key: str = field(repr=False)
    retries: int
    timeout: float | None
    user_agent: str


def connection_of(
    api_key: str | None, base_url: str | None, *, timeout: float | None, retries: int, library: str
) -> Connection:
    """Validates a client's options. `library` is the HTTP library with its version.

    Raises:
        ValueError: An option is missing or wrong. The message never contains the key.
    """
    key = (api_key if api_key is not None else os.environ.get("VIDEO_TO_JSON_API_KEY", "")).strip()
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise ValueError("api_key is not an API key. Pass the whole key, v2j_live_…, or set VIDEO_TO_JSON_API_KEY.")
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        raise ValueError("retries is not a whole number of at least 0. Pass one.")
    check_timeout(timeout)
    url = _address(base_url if base_url is not None else os.environ.get("VIDEO_TO_JSON_URL", ""))
    agent = f"video-to-json-python/{__version__} {library} python/{platform.python_version()}"
    return Connection(url, key, retries, timeout, agent)


def check_timeout(timeout: float | None) -> None:
    """Raises ValueError for a time limit that is not a positive number of seconds or None."""
    if timeout is not None and not timeout > 0:
        raise ValueError("timeout is not a positive number of seconds. Pass one, or None for no limit.")


def _address(text: str) -> str:
    try:
        url = urlsplit(text.strip())
        valid = url.scheme in ("http", "https") and bool(url.hostname) and "@" not in url.netloc
        valid = valid and (url.port is None or url.port > 0) and not url.query and not url.fragment
    except ValueError:
        valid = False
    if not valid:
        raise ValueError(
            "base_url is not an http(s) address. Pass one such as https://api.example.com, or set VIDEO_TO_JSON_URL."
        )
    return text.strip().rstrip("/")
