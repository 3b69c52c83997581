"""Typed access to a transcript's JSON; errors name the field's path."""

import binascii
from base64 import b64decode
from collections.abc import Iterator
from typing import Any, NamedTuple


class Malformed(ValueError):
    """The file is not a transcript: a field is missing or has the wrong type."""


class Fields(NamedTuple):
    """A JSON object of a transcript. A null field counts as missing, as in Go."""

    members: dict[str, Any]
    place: str

    def wrong(self, name: str, why: str) -> Malformed:
        """Return an error about a field."""
        return Malformed(f"{self.place}.{name} {why}")

    def has(self, name: str) -> bool:
        """Return whether a field is present."""
        return self.members.get(name) is not None

    def _get(self, name: str, kind: type, default: Any) -> Any:
        found = self.members.get(name)
        if found is None:
            if default is None:
                raise self.wrong(name, "is missing")
            return default
        if not isinstance(found, kind) or isinstance(found, bool) is not (kind is bool):
            raise self.wrong(name, f"is no {kind.__name__}")
        return found

    def text(self, name: str, default: str | None = None) -> str:
        """Return a string field.

        Raises:
            Malformed: it is not a string, or missing without default.
        """
        found: str = self._get(name, str, default)
        return found

    def integer(self, name: str, default: int | None = None) -> int:
        """Return an integer field.

        Raises:
            Malformed: it is not an integer, or missing without default.
        """
        found: int = self._get(name, int, default)
        return found

    def flag(self, name: str, default: bool | None = None) -> bool:
        """Return a boolean field.

        Raises:
            Malformed: it is not a boolean, or missing without default.
        """
        found: bool = self._get(name, bool, default)
        return found

    def data(self, name: str) -> bytes:
        """Return a field in padded base64; empty if missing.

        Raises:
            Malformed: it is not base64.
        """
        try:
            return b64decode(self.text(name, ""), validate=True)
        except (binascii.Error, ValueError):
            raise self.wrong(name, "is no base64") from None

    def hexadecimal(self, name: str) -> bytes:
        """Return a field in hexadecimal; empty if missing.

        Raises:
            Malformed: it is not hexadecimal.
        """
        try:
            return bytes.fromhex(self.text(name, ""))
        except ValueError:
            raise self.wrong(name, "is no hexadecimal") from None

    def object(self, name: str) -> "Fields":
        """Return an object field; empty if missing.

        Raises:
            Malformed: it is not an object.
        """
        return Fields(self._get(name, dict, {}), f"{self.place}.{name}")

    def objects(self, name: str) -> Iterator["Fields"]:
        """Return the objects of a list field; empty if missing.

        Raises:
            Malformed: it is not a list, or contains other values than objects.
        """
        for number, each in enumerate(self._get(name, list, [])):
            place = f"{self.place}.{name}[{number}]"
            if not isinstance(each, dict):
                raise Malformed(f"{place} is not an object")
            yield Fields(each, place)
