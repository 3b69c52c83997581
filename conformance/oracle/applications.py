"""Cases of application data: memos, ICS-27 packets and versions, GMP calls, acknowledgements.

Most are JSON with the oddities that Go's decoders distinguish: repeated or differently cased names, null,
numbers in all forms, nested texts. ICS-20 packets have a module of their own.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from conformance.oracle.program import Case, Verdict
from conformance.oracle.transfers import spoilt
from pyibc.apps.callbacks.memo import Side, callback_data
from pyibc.apps.gmp import packet_data as calls
from pyibc.apps.gmp.packet_data import VERSION
from pyibc.apps.interchain_accounts.packet_data import decode_metadata, decode_packet_data
from pyibc.apps.packet_forward.packet_data import read_hops, write_memo
from pyibc.core.application.packet_data import PacketData
from pyibc.core.errors import IbcError
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF
from pyibc.proto.varint import encode_varint

REMAINING, MAXIMUM = 1_000_000, 500_000
_TEXTS = (
    "",
    " ",
    "x",
    "transfer",
    "channel-0",
    "10m",
    "1h0.5s",
    "-5s",
    "1e3s",
    "0x10",
    "200000",
    "0200",
    "+1",
)
_MORE = (
    "18446744073709551616",
    "00fF",
    "0",
    "\u00e9",
    "\u00a0",
    '{"forward":{}}',
    "null",
    "1us",
    ".5s",
    "AQ==",
    "A",
)
_NUMBERS = (
    "0",
    "1",
    "255",
    "256",
    "-1",
    "1.9",
    "1e2",
    "-0",
    "1e400",
    "600000000000",
    "9223372036854775808",
    "1E-9",
)
_PLAIN = ("null", "true", "[]", "{}", "[1]", '{"a":1}')


def _value(rng: Random) -> str:
    pick = rng.random()
    if pick < 0.6:
        return json.dumps(rng.choice(_TEXTS + _MORE), ensure_ascii=rng.random() < 0.5)
    return rng.choice(_NUMBERS if pick < 0.85 else _PLAIN)


def _object(rng: Random, names: Iterable[str], value: Callable[[str], str]) -> str:
    members = [(name, value(name)) for name in names if rng.random() < 0.93]
    while rng.random() < 0.15:
        members.insert(rng.randint(0, len(members)), (rng.choice(tuple(names)), _value(rng)))
    if rng.random() < 0.2:
        rng.shuffle(members)
    return "{" + ",".join(f"{json.dumps(_lettered(rng, name))}:{text}" for name, text in members) + "}"


def _lettered(rng: Random, name: str) -> str:
    return name if rng.random() < 0.97 else rng.choice((name.upper(), name.title(), name + " "))


def _hop(rng: Random, depth: int) -> str:
    def value(name: str) -> str:
        if rng.random() < 0.1:
            return _value(rng)
        if name == "next":
            inner = _object(rng, ("forward",), lambda _: _hop(rng, depth - 1)) if depth else "{}"
            return json.dumps(inner) if rng.random() < 0.5 else inner
        good = {"receiver": '"x"', "port": '"transfer"', "channel": '"channel-0"'}
        return good.get(name) or _value(rng)

    names = ("receiver", "port", "channel", "timeout", "retries", "next")
    return _object(rng, names[: rng.choice((3, 4, 5, 6))], value)


def _memo(rng: Random) -> bytes:
    def value(name: str) -> str:
        if rng.random() < 0.05:
            return _value(rng)
        if name == "forward":
            return _hop(rng, 3)
        return _object(rng, ("address", "gas_limit", "calldata"), lambda _: _value(rng))

    return spoilt(rng, _object(rng, ("forward", "src_callback", "dest_callback"), value).encode())


def cases(seed: int) -> Iterator[Case]:
    """Yield memos, ICS-27 data and versions, calls, and acknowledgements, endlessly."""
    rng = Random(seed)  # noqa: S311  # cases are to be repeated, not secret
    while True:
        yield rng.choice((_memo_case, _account, _version, _call, _answer))(rng)


def _memo_case(rng: Random) -> Case:
    raw = _memo(rng) if rng.random() < 0.8 else _object(rng, ("forward",), lambda _: _hop(rng, 2)).encode()
    return Case("m", (raw.decode(errors="replace").encode(),))


def _account(rng: Random) -> Case:
    good = {"type": '"TYPE_EXECUTE_TX"', "data": '"AQI="', "memo": '"m"'}
    odd = (
        "1",
        '"1"',
        '"TYPE_UNSPECIFIED"',
        "0",
        "2",
        "-1",
        "1.0",
        "4294967297",
        '"AQI"',
        '"-_=="',
        "[1,2]",
        "[256]",
    )
    raw = _object(
        rng, good, lambda name: good[name] if rng.random() < 0.7 else rng.choice((*odd, _value(rng)))
    )
    return Case("i", (spoilt(rng, raw.encode()),))


def _version(rng: Random) -> Case:
    names = ("version", "controller_connection_id", "host_connection_id", "address", "encoding", "tx_type")
    others = ("controllerConnectionId", "hostConnectionId", "txType")
    told = names if rng.random() < 0.7 else (*names[:1], *others)
    raw = _object(rng, told, lambda _: '"ics27-1"' if rng.random() < 0.7 else _value(rng))
    return Case("v", (spoilt(rng, raw.encode()).decode(errors="replace").encode(),))


def _call(rng: Random) -> Case:
    encoding = rng.choice((JSON, JSON, PROTOBUF, ABI))
    data = calls.GmpPacketData(
        rng.choice(_TEXTS), rng.choice(_TEXTS + _MORE), rng.choice((b"", b"salt", b"\0" * 33)),
        rng.choice((b"", b"payload", b"\xff" * 40)), rng.choice(_TEXTS + _MORE),
    )  # fmt: skip
    raw = calls.encode(data, encoding)
    return Case("g", (raw if rng.random() < 0.3 else spoilt(rng, raw), encoding.encode()))


def _answer(rng: Random) -> Case:
    result = json.dumps(b64encode(rng.choice((b"", b"\1", b"mock"))).decode())
    odd = ("null", "[1,2]", "[1,256]", "[]", '"A"', '"AQ"', '"AQ==AQ=="', '"\\u0041Q=="', "1", "{}")
    names = rng.choice((("result",), ("error",), ("response",)))
    raw = _object(rng, names, lambda name: rng.choice((*odd, result) if name == "result" else (*odd, '"e"')))
    return Case("a", (spoilt(rng, raw.encode()) + rng.choice((b"", b"", b" ", b"x")),))


def ours(case: Case) -> Verdict:
    """Return this implementation's result."""
    try:
        told = _READERS[case.kind](*case.arguments)
    except IbcError as error:
        return Verdict(f"{error.codespace}/{error.code}", str(error).encode())
    parts = [each if isinstance(each, bytes) else str(each).encode() for each in told]
    return Verdict("", b"".join(encode_varint(len(each)) + each for each in parts))


def _read_memo(raw: bytes) -> list[Any]:
    data = PacketData("sender", "receiver", raw.decode(), None)
    return [*_forward(raw.decode()), *_callback(data, Side.SOURCE), *_callback(data, Side.DESTINATION)]


def _forward(memo: str) -> list[Any]:
    try:
        hops = read_hops(memo)
    except IbcError:
        return ["error"]
    if hops is None:
        return ["nothing"]
    hop, rest = hops[0], write_memo(hops[1:]) if hops[1:] else ""
    retries = "-" if hop.retries is None else hop.retries
    return [hop.receiver, hop.port_id, hop.channel_id, max(0, hop.timeout_ns), retries, rest]


def _callback(data: PacketData, side: Side) -> list[Any]:
    try:
        found = callback_data(data, side, "ics20-1", "transfer", REMAINING, MAXIMUM)
    except IbcError as error:
        return [f"{error.codespace}/{error.code}"]
    if found is None:
        return ["nothing"]
    return [found.address, found.sender, f"{found.execution_gas}/{found.commit_gas}", found.calldata]


def _read_account(raw: bytes) -> list[Any]:
    found = decode_packet_data(raw)
    return [found.kind, found.data, found.memo]


class _NoAnswer(IbcError):
    """The acknowledgement has no standard form."""

    codespace, code, text = "oracle", 2, "no standard acknowledgement"


def _read_answer(raw: bytes) -> list[Any]:
    found = acks.parse(raw)
    if found is None:
        raise _NoAnswer
    if found.error is not None:
        return ["error", found.error]
    return ["nothing"] if found.result is None else ["result", found.result]


_READERS: dict[str, Callable[..., list[Any]]] = {
    "m": _read_memo,
    "i": _read_account,
    "v": lambda raw: list(decode_metadata(raw.decode())),
    "g": lambda raw, encoding: list(calls.decode(raw, VERSION, encoding.decode())),
    "a": _read_answer,
}
