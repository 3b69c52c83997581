"""Interface to pyibc-native, the optional native implementation of expensive checks.

Native code can only accept. If it is not installed, has another version, is disabled by PYIBC_NATIVE=0,
does not support the input, rejects it or crashes, the Python implementation decides. Verdicts, errors, gas
and state are thus the same with and without it (docs/native.md).
"""

import os
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

VERSION = 3
"""Version of the interface; pyibc-native is used only if it reports the same version."""


def load(switch: str | None) -> tuple[ModuleType | None, str]:
    """Return pyibc-native, or None if it is not used, and the reason.

    Args:
        switch: The value of PYIBC_NATIVE; `0` disables native code.
    """
    if switch == "0":
        return None, "switched off by PYIBC_NATIVE=0"
    try:
        import pyibc_native  # noqa: PLC0415 - optional
    except ImportError:
        return None, "not installed"
    found = getattr(pyibc_native, "VERSION", None)
    # guard: h199-any-version test_h199_another_version_is_not_used
    if found != VERSION:  # a `str` of the same digits is not equal either
        return None, f"not used: version {found!a} is installed, {VERSION} is needed"
    return pyibc_native, f"in use, version {VERSION}"


NATIVE, WHY = load(os.environ.get("PYIBC_NATIVE"))
"""The module in use, or None, and the reason, which `pyibc doctor` reports."""

active: ModuleType | None = None
"""The module to call, or None. Hot code reads it to avoid a call that would return nothing."""

_crashes: tuple[type[BaseException], ...] = ()


def use(module: ModuleType | None) -> ModuleType | None:
    """Call `module` from now on, or no native code if it is None; return the module used before.

    Conformance tests use it to compare both implementations.
    """
    global active, _crashes  # noqa: PLW0603 - set at startup and by conformance tests
    before, active = active, module
    # A Rust panic is a BaseException, not an Exception: no handler further up would catch it.
    # guard: h198-panics-pass drop:getattr test_h198_what_falls_has_not_accepted
    _crashes = (OverflowError, TypeError, ValueError, getattr(module, "PanicException", ValueError))
    return before


use(NATIVE)


def all_verify(votes: Sequence[tuple[bytes, bytes, bytes]]) -> bool:
    """Return whether all Ed25519 signatures verify by ZIP-215.

    Args:
        votes: At least one (public key, message, signature).
    """
    return bool(_accepts("verify_batch", votes))


class HeaderFacts(NamedTuple):
    """Fields of a well-formed ICS-7 header whose parts are consistent."""

    fields: tuple[Any, ...]
    """Chain id, height, (seconds, nanoseconds), last block id, hashes, proposer, versions of the header."""
    trusted_height: tuple[int, int]
    trusted_hash: bytes
    """Hash of the trusted validators."""
    counts: tuple[int, int, int]
    """Number of votes for the block, of all votes, and of validators in both sets."""


def read_header(raw: bytes) -> HeaderFacts | None:
    """Return the fields of an ICS-7 header; None if it might not pass `updates.check_basic`."""
    found = _accepts("read_header", raw)
    return None if found is None else HeaderFacts(*found)


def verify_commit(raw: bytes, adjacent: bool, numerator: int, denominator: int) -> bool:
    """Return whether validators with more than two thirds of the power signed a header for its own chain id.

    For a header that is not adjacent to its trusted height, more than numerator/denominator of the trusted
    validators' power must have signed as well.

    Args:
        raw: Encoding of a header that `read_header` accepted.
        adjacent: Whether the header's height is the trusted height plus one.
        numerator: Numerator of the trust level.
        denominator: Denominator of the trust level.
    """
    return bool(_accepts("verify_commit", raw, adjacent, numerator, denominator))


def encode_events(events: object, number: int) -> bytes | None:
    """Return the protobuf encoding of ABCI events as the field `number`; None if they are not supported.

    Args:
        events: A list of (type, attributes), with attributes as a list of (key, value) or (key, value,
            indexed).
        number: The field number of the events in their message.
    """
    found: bytes | None = _accepts("encode_events", events, number)
    return found


def read_results(raw: bytes) -> tuple[Any, ...] | None:
    """Return the fields of a pyibc.node.v1.Query/BlockResults response; None if they are not supported.

    The result is (height, app hash, results, block events, transactions). Each of the results is (code,
    codespace, events, gas wanted, gas used, data, log), an event is (type, attributes), an attribute (key,
    value).
    """
    found: tuple[Any, ...] | None = _accepts("read_results", raw)
    return found


def ripemd160_of(module: ModuleType | None) -> Callable[[bytes], bytes] | None:
    """Return RIPEMD-160 of `module`; None if it has none or if its digest of a test vector is wrong."""
    function: Callable[[bytes], bytes] | None = getattr(module, "ripemd160", None)
    known = bytes.fromhex("8eb208f7e05d987a9b044a8e98c6b087f15a0bfc")  # of b"abc", by the specification
    return function if function is not None and function(b"abc") == known else None


def verify_presence(root: bytes, store: bytes, key: bytes, value: bytes, proof: bytes) -> bool:
    """Return whether a chained proof by SDK_SPECS proves `value` at `key` of a store."""
    return bool(_accepts("shows", root, store, key, value, proof))


def verify_absence(root: bytes, store: bytes, key: bytes, proof: bytes) -> bool:
    """Return whether a chained proof by SDK_SPECS proves that `key` of a store is absent."""
    return bool(_accepts("shows_absence", root, store, key, proof))


def _accepts(name: str, *given: Any) -> Any:
    """Return the result of the native function `name`; None if it is unavailable or crashes."""
    if active is None:
        return None
    try:
        return getattr(active, name)(*given)
    # guard: h198-what-falls-falls-on test_h198_what_falls_has_not_accepted
    except _crashes:
        return None
