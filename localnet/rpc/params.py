"""Parameters of a call, from JSON (POST) or a query string (GET), with validation."""

from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from ibc_core.numbers import MAX_I64
from localnet.rpc.errors import invalid_params


class Params:
    """Named parameters, read by type."""

    def __init__(self, values: Mapping[str, Any], uri: bool) -> None:
        """`uri`: they come from a query string, where strings are quoted and bytes may be 0x hex."""
        self._values = values
        self._uri = uri

    def integer(self, name: str, default: int = 0) -> int:
        """An integer, or its decimal string; `default` if absent, null or empty."""
        value = self._values.get(name)
        if value is None or value == "":
            return default
        text = str(value).strip('"') if type(value) in {int, str} else ""
        digits = text.removeprefix("-")
        if not digits.isascii() or not digits.isdigit() or len(digits) > 19:
            raise invalid_params(f"{name}: not an integer")
        if int(digits) > MAX_I64:
            raise invalid_params(f"{name}: beyond int64")
        return int(text)

    def text(self, name: str) -> str:
        """A string of Unicode text: JSON can spell halves of characters, which nothing can encode."""
        value = self._values.get(name, "")
        if not isinstance(value, str) or any("\ud800" <= each <= "\udfff" for each in value):
            raise invalid_params(f"{name}: not a string")
        return value.strip('"') if self._uri else value

    def flag(self, name: str) -> bool:
        """A boolean."""
        value = self._values.get(name, False)
        if value in (True, "true"):  # no sets: JSON's lists and objects cannot be looked up there
            return True
        if value in (False, "false", "", None):
            return False
        raise invalid_params(f"{name}: not a boolean")

    def base64(self, name: str) -> bytes:
        """Bytes: base64 in JSON; 0x hex or a quoted string in a query string."""
        text = self.text(name)
        if self._uri:
            return self._uri_bytes(name, str(self._values.get(name, "")))
        try:
            return b64decode(text, validate=True)
        except ValueError:
            raise invalid_params(f"{name}: not base64") from None

    def hex(self, name: str) -> bytes:
        """Bytes: hex in JSON; 0x hex or a quoted string in a query string."""
        if self._uri:
            return self._uri_bytes(name, str(self._values.get(name, "")))
        return _from_hex(name, self.text(name))

    @staticmethod
    def _uri_bytes(name: str, raw: str) -> bytes:
        if raw.startswith(("0x", "0X")):
            return _from_hex(name, raw[2:])
        return raw.strip('"').encode()


def _from_hex(name: str, text: str) -> bytes:
    try:
        data = bytes.fromhex(text)
    except ValueError:
        raise invalid_params(f"{name}: not hex") from None
    if data.hex() != text.lower():  # fromhex skips whitespace
        raise invalid_params(f"{name}: not hex")
    return data
