"""The text for a user about an error. Programs check the class or the code, not the message."""

from video_to_json import (
    ExtractionFailedError,
    OutOfMinutesError,
    SchemaError,
    VideoToJsonError,
)


def explain(error: VideoToJsonError) -> str:
    """Returns a text for the user about a failed extraction."""
    match error:
        case OutOfMinutesError():
            return "The account has too few minutes left for this video."
        case SchemaError() | ExtractionFailedError():
            return "\n  ".join([error.message, *error.details])
        case _:
            return str(error)
