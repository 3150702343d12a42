"""Prints what happens in a video. The argument is a file, or the http(s) address of a video."""

import sys

from explain import explain
from scenes import SCENES, describe
from video_to_json import Client, Progress, Retrying, Uploading, VideoToJsonError


def show(progress: Progress) -> None:
    """Shows the progress on standard error."""
    match progress:
        case Uploading(sent_bytes=sent, total_bytes=total):
            print(f"{sent} of {total} bytes sent", file=sys.stderr)
        case Retrying(reason=reason, delay_seconds=delay):
            print(f"{reason} Next try in {delay} s.", file=sys.stderr)


def main() -> int:
    """Runs the program. Returns its exit code."""
    if len(sys.argv) != 2:
        print("python3 main.py <file or https address of a video>", file=sys.stderr)
        return 2
    try:
        # The address and the key are in VIDEO_TO_JSON_URL and VIDEO_TO_JSON_API_KEY.
        with Client() as client:
            answer = client.extract(sys.argv[1], SCENES, on_progress=show)
            print(describe(answer.data))
            print(f"It cost {answer.billed_seconds} s; {client.account().minutes_remaining:g} minutes are left.")
    except VideoToJsonError as error:
        print(explain(error), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
