"""JSON as text, because its notation matters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_decoder = json.JSONDecoder()
_space = re.compile(r"[ \t\n\r]*")


def parse_json(text: str) -> Any:
    """Parses JSON. Returns None for a text that is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def to_json(value: Any) -> str:
    """Returns the JSON text of a value: 0 is written as `0` and 0.0 as `0.0`.

    Raises:
        TypeError: JSON cannot hold the value.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except (ValueError, RecursionError) as error:
        raise TypeError(f"JSON cannot represent this schema: {error}.") from error
    # The service refuses a raw U+FFFD because it also replaces invalid bytes. Half a surrogate pair is not
    # UTF-8.
    return re.sub("[\ufffd\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"JSON cannot represent this schema: it contains {value!r}. Write a type word such as \"string\".")


def member_text(text: str, name: str) -> str | None:
    """Returns the text of one member of a JSON object, as it is written. The text must be valid JSON."""
    position = _skip(text, text.index("{") + 1)
    found = None
    while text[position] != "}":
        key, end = _decoder.raw_decode(text, position)
        start = _skip(text, _skip(text, end) + 1)
        _, end = _decoder.raw_decode(text, start)
        if key == name:
            found = text[start:end]
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)
    return found


def _skip(text: str, position: int) -> int:
    space = _space.match(text, position)
    return space.end() if space else position
