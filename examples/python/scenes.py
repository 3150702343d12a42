"""The schema, and a sentence from its answer."""

from typing import Any

# An example of the answer with type words as values.
SCENES = {
    "main_color": "red|green|blue|other — of the longest scene",
    "cuts": [{"at": "timestamp — the first picture of the new scene"}],
    "has_sound": "boolean",
    "title?": "string — written in the picture",
}


def describe(scenes: dict[str, Any]) -> str:
    """Returns the answer as a sentence."""
    times = ", ".join(cut["at"] for cut in scenes["cuts"]) or "never"
    sound = "with" if scenes["has_sound"] else "without"
    return f"{scenes.get('title', 'A video')}: mostly {scenes['main_color']}, {sound} sound; cut at {times}."
