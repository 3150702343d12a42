"""The schemas that a caller can pass, and the types of their answers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, Union

from .json_text import to_json


class ModelClass(Protocol):
    """A model class of pydantic 2, or any class with these two methods. pydantic itself is not
    required.
    """

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
    """A schema in the form that is sent. `parse` creates the data from its plain value and its
    text.
    """

    text: str
    parse: Callable[[Any, str], Any]


def schema_of(schema: Any) -> Schema:
    """Returns the schema of an argument. Text is sent unchanged.

    Raises:
        TypeError: It is not a sketch, JSON Schema, JSON text or model class.
    """
    if isinstance(schema, str):
        return Schema(schema, _unchanged)
    if isinstance(schema, Mapping):
        return Schema(to_json(schema), _unchanged)
    if inspect.isclass(schema) and all(callable(getattr(schema, name, None)) for name in _model_methods):
        model: Any = schema
        # The schema of a model for any value has no keyword that distinguishes it from a sketch.
        document = {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}
        return Schema(to_json(document), _parser_of(model))
    if callable(getattr(schema, "model_json_schema", None)):
        raise TypeError("schema is an instance of a model. Pass its class.")
    raise TypeError("schema is not a dict, JSON text or model class. Pass one of them.")


_model_methods = ("model_json_schema", "model_validate")


def _unchanged(value: Any, _text: str) -> Any:
    return value


def _parser_of(model: Any) -> Callable[[Any, str], Any]:
    # A strict model accepts values that JSON can write only as strings, such as dates, only from text.
    if callable(getattr(model, "model_validate_json", None)):
        return lambda _value, text: model.model_validate_json(text)
    return lambda value, _text: model.model_validate(value)
