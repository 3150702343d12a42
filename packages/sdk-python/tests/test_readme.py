"""Runs the examples of the README against the service that the environment names. A test of the repository starts it."""

from __future__ import annotations

import ast
import asyncio
import inspect
import os
import re
from pathlib import Path
from typing import Any

import pytest
from video_to_json import Client

EXAMPLES = re.findall(r"^```python\n(.*?)^```", Path("README.md").read_text(), re.S | re.M)
# Most examples continue with the client of the first one.
NAMES: dict[str, Any] = {"schema": {"title": "string"}}


@pytest.mark.skipif("VIDEO_TO_JSON_URL" not in os.environ, reason="needs a service")
@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_the_readme_runs(example: str) -> None:
    if "pydantic" in example:
        pytest.importorskip("pydantic", minversion="2")
    with Client() as NAMES["client"]:
        # The example is compiled without the future imports of this file.
        code = compile(example, "README.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        result = eval(code, NAMES)
        if inspect.isawaitable(result):
            asyncio.run(wait_for(result))


async def wait_for(result: Any) -> None:
    await result
