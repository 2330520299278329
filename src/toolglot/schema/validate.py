"""The only place that builds a validator, so that nothing is ever fetched and no pattern can explode.

Left to itself `jsonschema_rs` fetches http and file references and a remote `$schema` (measured on 0.61): every
validator here is a 2020-12 validator over a schema without `$schema` and without references that leave the document
(`meaning` sees to that), offline, with the linear regular expression engine and without `format`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import jsonschema_rs

from toolglot.schema.dialect import DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019_09, DRAFT_2020_12, dialect_of
from toolglot.schema.tool import thaw
from toolglot.schema.values import is_map

if TYPE_CHECKING:
    from toolglot.schema.walk import Schema

_LINEAR = jsonschema_rs.RegexOptions()
_MASK = "the value"
"""Stands where a message of the validator would show an argument."""

_META = {
    DRAFT_04: "http://json-schema.org/draft-04/schema#",
    DRAFT_06: "http://json-schema.org/draft-06/schema#",
    DRAFT_07: "http://json-schema.org/draft-07/schema#",
    DRAFT_2019_09: "https://json-schema.org/draft/2019-09/schema",
    DRAFT_2020_12: "https://json-schema.org/draft/2020-12/schema",
}


def validator(schema: Schema) -> jsonschema_rs.Draft202012Validator:
    """A validator for a schema in 2020-12 terms; give it a meaning, not a published schema.

    Raises jsonschema_rs.ValidationError or ReferencingError for a schema that is no 2020-12 schema.
    """
    plain: Any = thaw(schema)
    if is_map(plain) and "$schema" in plain:
        plain = {key: value for key, value in plain.items() if key != "$schema"}
    return jsonschema_rs.Draft202012Validator(
        plain, mask=_MASK, offline=True, validate_formats=False, pattern_options=_LINEAR
    )


NO_SCHEMA = (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError)
"""What building a validator raises."""

NO_VERDICT = (ValueError, OverflowError, RecursionError)
"""What validating raises where there is no verdict: half a surrogate pair, more than 255 levels, no JSON value."""

_HOME = "toolglot:document"


class Parts:
    """Validators of the parts of one meaning, by JSON Pointer; references inside a part lead into the whole."""

    def __init__(self, schema: Schema) -> None:
        self._registry = jsonschema_rs.Registry([(_HOME, thaw(schema))])

    def validator(self, pointer: str) -> jsonschema_rs.Draft202012Validator:
        """A validator for the schema at a pointer. Raises what is in NO_SCHEMA where there is none."""
        part = {"$ref": f"{_HOME}#{quote(pointer, safe=_SAFE)}"}
        return jsonschema_rs.Draft202012Validator(
            part,
            registry=self._registry,
            mask=_MASK,
            offline=True,
            validate_formats=False,
            pattern_options=_LINEAR,
        )


_SAFE = "/$-._~!&'()*+,;=:@?"
"""What stands unescaped in a URI fragment (RFC 3986)."""


def compiles(pattern: str) -> bool:
    """Whether the linear engine can compile a regular expression of a schema (ECMA 262 without look-around)."""
    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern}, mask=_MASK, offline=True, pattern_options=_LINEAR)
    except (jsonschema_rs.ValidationError, ValueError):
        return False
    return True


class MetaError:
    """Where a schema is not valid for its dialect: pointer to the keyword, and what is expected there in words."""

    __slots__ = ("expected", "keyword", "pointer")

    def __init__(self, pointer: str, keyword: str, expected: str) -> None:
        self.pointer = pointer
        self.keyword = keyword
        self.expected = expected


def meta_error(schema: Mapping[str, Any]) -> MetaError | None:
    """The first place where a schema is not valid under the meta-schema of its declared dialect (else 2020-12).

    None too where the engine gives no verdict: it takes no text with half a surrogate pair.

    The `$schema` of the published document is not handed on: the dialect comes from a closed list.
    """
    judged = {**schema, "$schema": _META[dialect_of(schema)]}
    try:
        jsonschema_rs.meta.validate(judged)
    except jsonschema_rs.ValidationError as error:
        path = [str(step) for step in error.instance_path]
        return MetaError(_pointer(path), path[-1] if path else "", _expected(error))
    except UnicodeEncodeError:
        pass
    return None


def _pointer(path: list[str]) -> str:
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in path)


def _expected(error: jsonschema_rs.ValidationError) -> str:
    """What the meta-schema asks for, from the kind of the failure, never from the message."""
    kind: Any = error.kind
    types: list[str] = getattr(kind, "types", [])
    if types:
        return " or ".join(_WORDS.get(name, name) for name in types)
    limit = getattr(kind, "limit", None)
    if limit is not None:
        return _LIMITS.get(type(kind).__name__, "{}").format(limit)
    return _OTHERS.get(type(kind).__name__, "another form")


_WORDS = {
    "string": "a text",
    "array": "a list",
    "object": "an object",
    "boolean": "true or false",
    "number": "a number",
    "integer": "a whole number",
}
_LIMITS = {
    "Minimum": "a number of at least {}",
    "ExclusiveMinimum": "a number above {}",
    "MinItems": "a list with at least {} entry",
}
_OTHERS = {
    "AnyOf": "one of the type names of JSON Schema, or a list of them",
    "Enum": "one of the type names of JSON Schema",
    "UniqueItems": "a list without doubled entries",
    "Pattern": "a text of another form",
    "Format": "a text of another form",
}
