"""Tests that need no server."""

from __future__ import annotations

import io
import json
import pickle
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from video_to_json import AnswerRejectedError, Client, SchemaError, ServiceError, VideoToJsonTimeoutError
from video_to_json.core.check_reply import retry_after
from video_to_json.core.deadline import Deadline
from video_to_json.core.event_stream import Event, EventReader
from video_to_json.core.json_text import member_text, to_json
from video_to_json.core.schema import schema_of
from video_to_json.core.upload import CHUNK_BYTES, Form
from video_to_json.core.video import open_video, url_of
from video_to_json.errors import service_error


def test_numbers_of_a_sketch_keep_their_spelling() -> None:
    sketch = {"count": 0, "score": 0.0, "sure": True, "at": "timestamp", "tags": [], "10": 1, "2": MappingProxyType({})}
    assert to_json(sketch) == (
        '{"count": 0, "score": 0.0, "sure": true, "at": "timestamp", "tags": [], "10": 1, "2": {}}'
    )


def test_characters_that_are_no_utf_8_are_escaped() -> None:
    assert to_json({"é": "\ufffd\ud800"}) == '{"é": "\\ufffd\\ud800"}'


@pytest.mark.parametrize("schema", [{"a": int}, {"a": float("nan")}, [], None, 7, object, {"a": {1, 2}}])
def test_a_schema_that_cannot_be_sent_is_a_type_error(schema: Any) -> None:
    with pytest.raises(TypeError):
        schema_of(schema)


@pytest.mark.parametrize("cut", range(1, 12))
def test_events_are_read_wherever_their_bytes_are_cut(cut: int) -> None:
    text = ": hi\n\nevent: admitted\r\ndata: {\"a\":\r\ndata:  1}\r\n\r\nretry: 2000\rdata: é\r\rdata: open"
    wire = text.encode()
    reader = EventReader()
    events = [event for start in range(0, len(wire), cut) for event in reader.feed(wire[start : start + cut])]
    assert events == [Event("", "hi"), Event("admitted", '{"a":\n 1}'), Event("message", "é", 2.0)]


def test_the_text_of_a_member_is_cut_out_as_it_is_written() -> None:
    text = ' { "id" : "data", "x": {"data": 1}, "data" : {"b": 1.50, "a": 1e400}  , "z":[] } '
    assert member_text(text, "data") == '{"b": 1.50, "a": 1e400}'
    assert member_text("{}", "data") is None


def form_text(form: Form) -> bytes:
    return form.head + b"".join(form.read(span) for span in form.spans()) + form.tail


def test_a_form_has_its_length_and_its_fields_before_the_file_and_can_be_sent_again() -> None:
    data = bytes(range(256)) * (CHUNK_BYTES // 256) + b"end"
    sent: list[int] = []
    video = open_video(data, 'a"b\n.mp4')
    fields = {"schema": "{}", "instructions": None, "video_url": None}
    form = Form(fields, video, deadline=Deadline(None), on_sent=lambda done, _: sent.append(done))
    text = form_text(form)
    assert len(text) == int(form.headers["content-length"])
    assert text.index(b'name="schema"') < text.index(b'name="video"; filename="a%22b%0A.mp4"') < text.index(data)
    assert sent == [0, CHUNK_BYTES, len(data)]
    assert form_text(form) == text


def test_a_file_is_read_in_chunks_and_closed_only_by_the_one_that_opened_it(tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    path.write_bytes(b"0123456789")
    video = open_video(path)
    assert (video.name, video.size, video.read(3, 4)) == ("clip.mp4", 10, b"3456")
    path.write_bytes(b"")
    with pytest.raises(OSError, match="became shorter"):
        video.read(3, 4)
    path.write_bytes(b"0123456789")
    with path.open("rb") as file:
        file.seek(4)
        rest = open_video(file)
        assert (rest.name, rest.size, rest.read(0, 9)) == ("clip.mp4", 6, b"456789")
        rest.close()
        assert not file.closed


def test_a_pipe_is_copied_so_that_it_can_be_sent_again() -> None:
    class Pipe(io.RawIOBase):
        parts = [b"abc", b"def"]

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            return self.parts.pop(0) if self.parts else b""

    video = open_video(Pipe())  # type: ignore[arg-type]
    assert (video.size, video.read(0, 9), video.read(0, 9)) == (6, b"abcdef", b"abcdef")
    video.close()


@pytest.mark.parametrize("video", [None, 7, object(), io.StringIO("x")])
def test_what_is_no_video_is_a_type_error(video: Any) -> None:
    with pytest.raises(TypeError):
        open_video(video)


def test_a_folder_is_no_video_and_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="is not a file"):
        open_video(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_video(tmp_path / "none.mp4")


def test_a_web_address_is_no_file() -> None:
    assert url_of("HTTPS://example.com/a.mp4") == "HTTPS://example.com/a.mp4"
    assert url_of("http.mp4") is None


def test_retry_after_is_seconds_or_a_date() -> None:
    assert [retry_after(text) for text in ("7", "soon", None, "Wed, 21 Oct 2015 07:28:00 GMT")] == [7.0, None, None, 0.0]
    assert (retry_after("Wed, 21 Oct 2515 07:28:00 GMT") or 0) > 1e9


def test_errors_have_the_class_of_their_family_and_survive_pickling() -> None:
    error = service_error({"code": "schema_invalid", "message": "No.", "details": ["/a: b"]}, status=400, job_id="j")
    assert isinstance(error, SchemaError)
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.code, copy.details, copy.job_id, str(copy)) == (
        SchemaError,
        "schema_invalid",
        ("/a: b",),
        "j",
        "schema_invalid: No.\n/a: b",
    )
    assert type(service_error({"code": "new", "message": "New."}, status=418)) is ServiceError


@pytest.mark.parametrize(
    "options",
    [
        {"api_key": "a b"},
        {"api_key": ""},
        {"base_url": "ftp://a"},
        {"base_url": "a.example"},
        {"base_url": "https://a?b"},
        {"base_url": "https://user:secret@a"},
        {"retries": -1},
        {"retries": True},
        {"timeout": 0},
    ],
)
def test_wrong_options_are_refused_without_the_key(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError) as caught:
        Client(**{"api_key": "v2j_live_secret", "base_url": "https://a", **options})
    assert "secret" not in str(caught.value)


def test_key_and_address_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIDEO_TO_JSON_API_KEY", " v2j_live_secret\n")
    monkeypatch.setenv("VIDEO_TO_JSON_URL", "https://api.example.com/base/")
    with Client() as client:
        assert client._connection.base_url == "https://api.example.com/base"
        assert client._connection.api_key == "v2j_live_secret"
        assert "secret" not in repr(client._connection)


def test_a_deadline_ends() -> None:
    with pytest.raises(VideoToJsonTimeoutError):
        Deadline(1e-9).check()
    with pytest.raises(TimeoutError):
        Deadline(1e-9).check()


class Goal:
    """A model class with the methods of pydantic 2, without pydantic."""

    def __init__(self, scorer: str) -> None:
        self.scorer = scorer

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        return {"type": "object", "properties": {"scorer": {"type": "string"}}, "required": ["scorer"]}

    @classmethod
    def model_validate(cls, obj: Any) -> Goal:
        if obj["scorer"] == "":
            raise ValueError("no scorer")
        return cls(obj["scorer"])


def test_a_model_class_gives_its_schema_and_makes_the_data() -> None:
    schema = schema_of(Goal)
    assert json.loads(schema.text)["properties"] == {"scorer": {"type": "string"}}
    assert schema.parse({"scorer": "Okafor"}, '{"scorer":"Okafor"}').scorer == "Okafor"
    with pytest.raises(TypeError, match="Pass its class"):
        schema_of(Goal("a"))


def test_a_rejected_answer_is_not_lost() -> None:
    import httpx

    body = '{"id":"j","data":{"scorer":""},"video":{"duration_seconds":1},"billed_seconds":60}'
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=body))
    with Client("k", "https://a", http_client=httpx.Client(transport=transport)) as client:
        with pytest.raises(AnswerRejectedError) as caught:
            client.extract(b"video", Goal)
    assert caught.value.extraction.data == {"scorer": ""}
    assert isinstance(caught.value.__cause__, ValueError)
