"""BIP-173 and BIP-350: addresses of Cosmos chains are bech32, never bech32m, of at most 1,023 characters."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from conformance.case import Cases, expect, nothing, refusal
from conformance.files import json_in
from pyibc.core.address import AddressCodec, decode_bech32

_CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BIP173_LIMIT = 90


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a file with lists of BIP-173 and BIP-350 strings; None for any other file."""
    lists = json_in(path)
    return _of_lists(lists) if isinstance(lists, dict) and lists.keys() & _CHECKS.keys() else None


def _of_lists(lists: dict[str, list[str]]) -> Cases:
    for name, texts in lists.items():
        check = _CHECKS.get(name)
        if check is None or not texts:
            yield name, nothing if check else partial(expect, name, "a known list")
        else:
            yield from ((f"{name} {text}", partial(check, text)) for text in texts)


def _valid(text: str) -> None:
    """Check valid bech32: an address if it has 1 to 64 bytes, otherwise refused."""
    data = text.lower().rpartition("1")[2][:-6]
    bits = "".join(f"{_CHARSET.index(symbol):05b}" for symbol in data)
    pad = len(bits) % 8
    is_address = pad < 5 and "1" not in bits[len(bits) - pad :] and 1 <= len(bits) // 8 <= 64
    expect(not refusal(lambda: decode_bech32(text)), is_address)
    if is_address:
        prefix, raw = decode_bech32(text)
        expect(AddressCodec(prefix).encode(raw).text, text.lower())


def _invalid(text: str) -> None:
    if len(text) <= _BIP173_LIMIT:
        expect(refusal(lambda: decode_bech32(text)), "InvalidAddress")
    else:
        refusal(lambda: decode_bech32(text))  # too long for BIP-173 only: either verdict is fine


def _not_ours(text: str) -> None:
    expect(refusal(lambda: decode_bech32(text)), "InvalidAddress")


_CHECKS: dict[str, Callable[[str], None]] = {
    "VALID_BECH32": _valid,
    "INVALID_BECH32": _invalid,
    "VALID_BECH32M": _not_ours,
    "INVALID_BECH32M": _not_ours,
}
