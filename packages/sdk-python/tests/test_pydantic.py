"""Tests with pydantic 2 itself, which Debian 12 does not have."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

import httpx
import pytest

pydantic = pytest.importorskip("pydantic", minversion="2.0")

from pydantic import BaseModel, ConfigDict, Field, RootModel, field_validator  # noqa: E402
from video_to_json import AnswerRejectedError, AsyncClient, Client  # noqa: E402
from video_to_json.core.schema import schema_of  # noqa: E402


class Side(Enum):
    HOME = "home"
    AWAY = "away"


class Goal(BaseModel):
    at: str = Field(pattern=r"^\d\d:\d\d$", description="when the ball crosses the line")
    side: Side
    scorer: str | None = None


class Match(BaseModel):
    model_config = ConfigDict(strict=True)
    played_on: date
    price: Decimal = Field(alias="ticketPrice")
    goals: list[Goal]
    kind: Literal["league", "cup"]

    @field_validator("goals")
    @classmethod
    def has_goals(cls, goals: list[Goal]) -> list[Goal]:
        if not goals:
            raise ValueError("no goals")
        return goals


DATA = '{"played_on":"2026-05-01","ticketPrice":1.10,"kind":"cup","goals":[{"at":"03:17","side":"home"}]}'


def client_with(data: str, sent: list[bytes]) -> Client:
    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.read())
        body = f'{{"id":"j","data":{data},"video":{{"duration_seconds":1.5}},"billed_seconds":60}}'
        return httpx.Response(200, headers={"content-type": "application/json"}, content=body)

    return Client("k", "https://a", http_client=httpx.Client(transport=httpx.MockTransport(answer)))


def test_the_answer_is_an_instance_of_the_model() -> None:
    sent: list[bytes] = []
    answer = client_with(DATA, sent).extract(b"video", Match)
    match: Match = answer.data
    assert (match.played_on, match.price, match.goals[0].side) == (date(2026, 5, 1), Decimal("1.10"), Side.HOME)
    text = sent[0].split(b'name="schema"\r\n\r\n')[1].split(b"\r\n")[0]
    schema = json.loads(text)
    assert schema["properties"]["ticketPrice"] and schema["$schema"].endswith("2020-12/schema")
    assert list(schema["properties"]) == ["played_on", "ticketPrice", "goals", "kind"]


def test_an_answer_that_the_model_refuses_is_not_lost() -> None:
    refused = '{"played_on":"2026-05-01","ticketPrice":1.10,"kind":"cup","goals":[]}'
    with pytest.raises(AnswerRejectedError) as caught:
        client_with(refused, []).extract(b"video", Match)
    assert caught.value.extraction.data["goals"] == []
    assert isinstance(caught.value.__cause__, pydantic.ValidationError)


def test_root_models_and_generic_models_are_schemas() -> None:
    goals = RootModel[list[Goal]]
    assert json.loads(schema_of(goals).text)["type"] == "array"
    assert "$schema" in json.loads(schema_of(RootModel[Any]).text)
    with pytest.raises(TypeError, match="Pass its class"):
        schema_of(Goal(at="00:01", side=Side.AWAY))


def test_async_and_sync_give_the_same_instance() -> None:
    import asyncio

    def answer(request: httpx.Request) -> httpx.Response:
        body = f'{{"id":"j","data":{DATA},"video":{{"duration_seconds":1.5}},"billed_seconds":60}}'
        return httpx.Response(200, content=body)

    async def extract() -> Match:
        http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
        async with AsyncClient("k", "https://a", http_client=http) as client:
            return (await client.extract(b"video", Match)).data

    assert asyncio.run(extract()) == client_with(DATA, []).extract(b"video", Match).data
