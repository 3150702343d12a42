"""What a type checker infers about an answer. mypy reads this file; it is never run."""

from typing import Any

from pydantic import BaseModel
from typing_extensions import assert_type
from video_to_json import AsyncClient, Client, Extraction


class Goal(BaseModel):
    at: str


def sync(client: Client) -> None:
    assert_type(client.extract("a.mp4", Goal), Extraction[Goal])
    assert_type(client.extract(video=b"", schema=Goal).data.at, str)
    assert_type(client.extract("a.mp4", {"at": "timestamp"}), Extraction[Any])
    assert_type(client.extract("a.mp4", "{}"), Extraction[Any])
    client.extract("a.mp4", 7)  # type: ignore[call-overload]
    client.extract("a.mp4", int)  # type: ignore[type-var]


async def with_asyncio(client: AsyncClient) -> None:
    assert_type((await client.extract("a.mp4", Goal)).data, Goal)
