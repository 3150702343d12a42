"""Runs the examples of the README against the service that the environment names."""

from __future__ import annotations

import ast
import asyncio
import importlib.util
import inspect
import re
from pathlib import Path
from typing import Any

from video_to_json import Client

EXAMPLES = re.findall(r"^```python\n(.*?)^```", Path("README.md").read_text(), re.S | re.M)


async def run() -> None:
    ran = 0
    names: dict[str, Any] = {"schema": {"title": "string"}}
    for number, example in enumerate(EXAMPLES, 1):
        if "pydantic" in example and importlib.util.find_spec("pydantic") is None:
            continue
        # Most examples continue with the client of the first one.
        with Client() as names["client"]:
            # The example is compiled without the future imports of this file.
            code = compile(example, f"example {number}", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
            result = eval(code, names)
            if inspect.isawaitable(result):
                await result
        ran += 1
    print(f"{ran} of {len(EXAMPLES)} examples ran")


asyncio.run(run())
