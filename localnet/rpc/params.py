"""Parameters of a call, from JSON (POST) or a query string (GET), with validation."""

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyibc.core.numbers import MAX_I64

# -- JSON-RPC errors, as returned by CometBFT


@dataclass(eq=False)
class RpcError(Exception):
    """An error response: JSON-RPC code, its standard message, and details."""

    code: int
    message: str
    data: str

    def __str__(self) -> str:
        return f"{self.message}: {self.data}"


def invalid_params(data: str) -> RpcError:
    """Return the error for invalid method parameters."""
    return RpcError(-32602, "Invalid params", data)


def internal(data: str) -> RpcError:
    """Return the error for a failed request: no such block, a timeout, ..."""
    return RpcError(-32603, "Internal error", data)


# -- parameters


class Params:
    """Named parameters, with conversion by type."""

    def __init__(self, values: Mapping[str, Any], uri: bool) -> None:
        """Take the values; `uri` if they are from a query string, with quoted strings and 0x hex bytes."""
        self._values = values
        self._uri = uri

    def integer(self, name: str, default: int = 0) -> int:
        """Return an integer, also from its decimal string; `default` if absent, null or empty."""
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
        """Return a string without lone surrogates, which JSON can express and no encoding can."""
        value = self._values.get(name, "")
        if not isinstance(value, str) or any("\ud800" <= each <= "\udfff" for each in value):
            raise invalid_params(f"{name}: not a string")
        return value.strip('"') if self._uri else value

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        value = self._values.get(name, False)
        if value in (True, "true"):  # not a set: lists and objects of JSON are unhashable
            return True
        if value in (False, "false", "", None):
            return False
        raise invalid_params(f"{name}: not a boolean")

    def base64(self, name: str) -> bytes:
        """Return bytes: base64 in JSON; 0x hex or a quoted string in a query string."""
        text = self.text(name)
        if self._uri:
            return self._uri_bytes(name, str(self._values.get(name, "")))
        try:
            return b64decode(text, validate=True)
        except ValueError:
            raise invalid_params(f"{name}: not base64") from None

    def hex(self, name: str) -> bytes:
        """Return bytes: hex in JSON; 0x hex or a quoted string in a query string."""
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
