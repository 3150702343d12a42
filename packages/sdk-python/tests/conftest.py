"""What all tests share."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def no_certificates() -> Iterator[None]:
    """Reads no certificates: each client would read them anew, for 40 ms. No test uses TLS."""
    patch = pytest.MonkeyPatch()
    patch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)
    yield
    patch.undo()
