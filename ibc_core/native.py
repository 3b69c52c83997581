"""The one place where native code is met: what pyibc-native accepts need not be looked at in Python.

It is optional, and only ever accepts. Where it is not installed, is of another version, is switched off by
PYIBC_NATIVE=0, does not know the bytes, refuses or falls, the answer is "not accepted", and Python decides
as if it were not there: verdicts, errors, gas and state are the same with it and without (docs/native.md).
"""

import os
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

VERSION = 3
"""Of the functions that are used here; pyibc-native says its own, and another is not used."""


def load(switch: str | None) -> tuple[ModuleType | None, str]:
    """pyibc-native, None where it is not used, and why it is or is not.

    `switch`: the value of PYIBC_NATIVE; `0` is off.
    """
    if switch == "0":
        return None, "switched off by PYIBC_NATIVE=0"
    try:
        import pyibc_native  # noqa: PLC0415 - may not be there
    except ImportError:
        return None, "not installed"
    found = getattr(pyibc_native, "VERSION", None)
    # guard: h199-any-version test_h199_another_version_is_not_used
    if found != VERSION:  # a text of the same digits is another as well
        return None, f"not used: version {found!a} is installed, {VERSION} is needed"
    return pyibc_native, f"in use, version {VERSION}"


NATIVE, WHY = load(os.environ.get("PYIBC_NATIVE"))
"""What is used, and why it is or is not: what `pyibc doctor` says."""

asked: ModuleType | None = None
"""Who is asked: nobody, if it is None. For where calls to find that out would cost."""

_falls: tuple[type[BaseException], ...] = ()


def use(module: ModuleType | None) -> ModuleType | None:
    """Asks `module` from now on, nobody if it is None; returns who was asked: for judges, who compare."""
    global asked, _falls  # noqa: PLW0603 - set at the start, and by judges
    before, asked = asked, module
    # A panic is no Exception: it would pass every border on its way out.
    # guard: h198-panics-pass drop:getattr test_h198_what_falls_has_not_accepted
    _falls = (OverflowError, TypeError, ValueError, getattr(module, "PanicException", ValueError))
    return before


use(NATIVE)


def all_verify(votes: Sequence[tuple[bytes, bytes, bytes]]) -> bool:
    """Whether all signatures verify by ZIP-215: (Ed25519 key, message, signature) each, at least one."""
    return bool(_accepts("verify_batch", votes))


class HeaderFacts(NamedTuple):
    """What an ICS-7 header says, which is well-formed and whose parts belong together."""

    fields: tuple[Any, ...]
    """Of the header: chain id, height, (seconds, nanoseconds), last block id, hashes, proposer, versions."""
    trusted_height: tuple[int, int]
    trusted_hash: bytes
    """Of the validators that it brings for its trusted height."""
    counts: tuple[int, int, int]
    """Votes for the block, votes, members of both sets."""


def read_header(raw: bytes) -> HeaderFacts | None:
    """What an ICS-7 header says; None where it may not pass `updates.check_basic`."""
    found = _accepts("read_header", raw)
    return None if found is None else HeaderFacts(*found)


def verify_commit(raw: bytes, adjacent: bool, numerator: int, denominator: int) -> bool:
    """Whether more than two thirds of a header's validators signed it for its own chain id.

    If it is not `adjacent`, more than numerator/denominator of the trusted validators as well.
    `raw`: of which `read_header` said what it says.
    """
    return bool(_accepts("verify_commit", raw, adjacent, numerator, denominator))


def encode_events(events: object, number: int) -> bytes | None:
    """ABCI's events as the field `number` of their message, as protobuf writes it; None: not these.

    `events`: a list of (type, attributes), these a list of (key, value) or (key, value, indexed).
    """
    found: bytes | None = _accepts("encode_events", events, number)
    return found


def read_results(raw: bytes) -> tuple[Any, ...] | None:
    """What an answer to pyibc.node.v1.Query/BlockResults says; None: left to protobuf.

    (height, app hash, results, events of the block, transactions); a result is (code, codespace, events, gas
    wanted, gas used, data, log), an event (type, attributes), an attribute (key, value).
    """
    found: tuple[Any, ...] | None = _accepts("read_results", raw)
    return found


def ripemd160_of(module: ModuleType | None) -> Callable[[bytes], bytes] | None:
    """RIPEMD-160 of `module`, None where it has none or another: a digest is no verdict to be looked at."""
    function: Callable[[bytes], bytes] | None = getattr(module, "ripemd160", None)
    known = bytes.fromhex("8eb208f7e05d987a9b044a8e98c6b087f15a0bfc")  # of b"abc", by its authors
    return function if function is not None and function(b"abc") == known else None


def shows(root: bytes, store: bytes, key: bytes, value: bytes, proof: bytes) -> bool:
    """Whether a chained proof by SDK_SPECS shows `value` at `key` of a store."""
    return bool(_accepts("shows", root, store, key, value, proof))


def shows_absence(root: bytes, store: bytes, key: bytes, proof: bytes) -> bool:
    """Whether a chained proof by SDK_SPECS shows that nothing is at `key` of a store."""
    return bool(_accepts("shows_absence", root, store, key, proof))


def _accepts(name: str, *given: Any) -> Any:
    """What the native function answers; None where there is none, or where it falls."""
    if asked is None:
        return None
    try:
        return getattr(asked, name)(*given)
    # guard: h198-what-falls-falls-on test_h198_what_falls_has_not_accepted
    except _falls:
        return None
