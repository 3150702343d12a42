"""Schemas that a caller can pass, and what their answers become."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, Union

from .json_text import to_json


class ModelClass(Protocol):
    """A model class of pydantic 2, or of anything else with these two methods. pydantic itself is not needed."""

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        """Returns the model's JSON Schema."""

    @classmethod
    def model_validate(cls, obj: Any) -> Any:
        """Returns an instance for plain JSON values."""


ModelT = TypeVar("ModelT", bound=ModelClass)
SchemaInput = Union[Mapping[str, Any], str, type[ModelClass]]


@dataclass(frozen=True)
class Schema:
    """A schema as the text that is sent. `parse` makes the data from its plain value and its text."""

    text: str
    parse: Callable[[Any, str], Any]


def schema_of(schema: Any) -> Schema:
    """Returns the schema of an argument. Text is sent unchanged.

    Raises:
        TypeError: It is no sketch, JSON Schema, JSON text or model class.
    """
    if isinstance(schema, str):
        return Schema(schema, _unchanged)
    if isinstance(schema, Mapping):
        return Schema(to_json(schema), _unchanged)
    if inspect.isclass(schema) and all(callable(getattr(schema, name, None)) for name in _model_methods):
        model: Any = schema
        # A model of any value has a schema without a keyword that tells it from a sketch.
        document = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
        return Schema(to_json(document), _parser_of(model))
    if callable(getattr(schema, "model_json_schema", None)):
        raise TypeError("schema is an instance of a model. Pass its class.")
    raise TypeError("schema is not a dict, JSON text or model class. Pass one of them.")


_model_methods = ("model_json_schema", "model_validate")


def _unchanged(value: Any, _text: str) -> Any:
    return value


def _parser_of(model: Any) -> Callable[[Any, str], Any]:
    # From text, a strict model accepts what JSON can write only as a string, such as a date.
    if callable(getattr(model, "model_validate_json", None)):
        return lambda _value, text: model.model_validate_json(text)
    return lambda value, _text: model.model_validate(value)
