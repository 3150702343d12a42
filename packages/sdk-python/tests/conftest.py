"""Fixtures of all tests."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def no_certificates() -> Iterator[None]:
    """Loads no certificates, because each client would spend 40 ms on it. The tests use no TLS."""
    patch = pytest.MonkeyPatch()
    patch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)
    yield
    patch.undo()
