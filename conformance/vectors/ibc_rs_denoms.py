"""Denominations of ibc-rs.

ibc-go's ExtractDenomFromPath, which we follow, parses some paths differently:

* a text with exactly one slash has no hop (`transfer/channel-1` is a base denomination);
* a client id (`08-wasm-3`) is a hop's channel too;
* a channel number may have leading zeros;
* a hop with a malformed port is a hop, and then the whole denomination is refused;
* anything that is not a hop belongs to the base and is not an error.
"""

import re
from collections.abc import Callable

from conformance.case import expect, refusal
from conformance.vectors.rust_cases import arguments, some
from pyibc.apps.transfer.denom import Denom, Hop, make_denom, parse_denom

_PLAIN_CHANNEL = re.compile(r"channel-(?:0|[1-9][0-9]*)")


def _trace(denom: Denom) -> str:
    return "/".join([f"{hop.port_id}/{hop.channel_id}" for hop in denom.trace])


def _read_alike(path: str) -> bool:
    """Return whether none of the differences above applies to `path`."""
    denom = parse_denom(path)
    hops_alike = all(_PLAIN_CHANNEL.fullmatch(hop.channel_id) for hop in denom.trace)
    return path.count("/") != 1 and hops_alike and not refusal(_hops(denom).validate)


def _hops(denom: Denom) -> Denom:
    return make_denom("base", denom.trace)


def _base(case: str) -> None:
    (text, *_), _ = arguments(case)
    make_denom(str(text)).validate()


def _bad_base(case: str) -> None:
    (text, *_), _ = arguments(case)
    expect(refusal(make_denom(str(text)).validate), "InvalidDenomForTransfer")


def _prefixed(case: str) -> None:
    (prefix, base, *_), _ = arguments(case)
    path = f"{prefix}/{base}" if prefix else str(base)
    denom = parse_denom(path)
    expect(denom.path, path)
    if _read_alike(path):
        denom.validate()
        expect((_trace(denom), denom.base), (prefix, base))


def _empty_base(case: str) -> None:
    (path, *_), _ = arguments(case)
    if _read_alike(str(path)):
        expect(refusal(parse_denom(str(path)).validate), "InvalidDenomForTransfer")


def _bad_trace(case: str) -> None:
    """Check a trace that is an error in ibc-rs: not an error in ibc-go, but without hops."""
    (trace, *_), _ = arguments(case)
    denom = parse_denom(f"{trace}/uatom")
    expect(not refusal(denom.validate) and (_trace(denom), denom.base) == (trace, "uatom"), False)


def _split(case: str) -> None:
    (path, *_), rest = arguments(case)
    denom = parse_denom(str(path))
    if _read_alike(str(path)):
        remaining = some(rest) or ""
        expect(denom.base, remaining)
        expect(_trace(denom), str(path).removesuffix(remaining).removesuffix("/"))
    expect(all(isinstance(hop, Hop) for hop in denom.trace), True)


FUNCTIONS: dict[str, Callable[[str], None]] = {
    "test_accepted_denom": _base,
    "test_rejected_denom": _bad_base,
    "test_strange_but_accepted_prefixed_denom": _prefixed,
    "test_prefixed_empty_base_denom": _empty_base,
    "test_invalid_raw_demon_trace_parsing": _bad_trace,
    "test_trace_path_cases": _split,
}
