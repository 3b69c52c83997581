"""Fields of a transcript's JSON, each of its type, or said to be wrong with the place where it stands."""

import binascii
from base64 import b64decode
from collections.abc import Iterator
from typing import Any, NamedTuple


class Malformed(ValueError):
    """A file is no transcript: a field is missing or has another type."""


class Fields(NamedTuple):
    """An object of a transcript. A field that is null counts as missing, as in Go."""

    members: dict[str, Any]
    place: str

    def wrong(self, name: str, why: str) -> Malformed:
        """What to raise of a field."""
        return Malformed(f"{self.place}.{name} {why}")

    def has(self, name: str) -> bool:
        """Whether a field is there."""
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
        """A text.

        Raises:
            Malformed: none, and there is no default.
        """
        found: str = self._get(name, str, default)
        return found

    def integer(self, name: str, default: int | None = None) -> int:
        """A number without a fraction.

        Raises:
            Malformed: none, and there is no default.
        """
        found: int = self._get(name, int, default)
        return found

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false.

        Raises:
            Malformed: neither, and there is no default.
        """
        found: bool = self._get(name, bool, default)
        return found

    def data(self, name: str) -> bytes:
        """Bytes in padded base64; none where the field is missing.

        Raises:
            Malformed: not base64.
        """
        try:
            return b64decode(self.text(name, ""), validate=True)
        except (binascii.Error, ValueError):
            raise self.wrong(name, "is no base64") from None

    def hexadecimal(self, name: str) -> bytes:
        """Bytes in hexadecimal; none where the field is missing.

        Raises:
            Malformed: not hexadecimal.
        """
        try:
            return bytes.fromhex(self.text(name, ""))
        except ValueError:
            raise self.wrong(name, "is no hexadecimal") from None

    def object(self, name: str) -> "Fields":
        """An object; an empty one where the field is missing.

        Raises:
            Malformed: another type.
        """
        return Fields(self._get(name, dict, {}), f"{self.place}.{name}")

    def objects(self, name: str) -> Iterator["Fields"]:
        """The objects of a list; none where the field is missing.

        Raises:
            Malformed: not a list, or not of objects.
        """
        for number, each in enumerate(self._get(name, list, [])):
            place = f"{self.place}.{name}[{number}]"
            if not isinstance(each, dict):
                raise Malformed(f"{place} is no object")
            yield Fields(each, place)
