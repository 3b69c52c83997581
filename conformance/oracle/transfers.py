"""Cases of ICS-20 packet data, in JSON that Go's decoder may accept, and in the encodings of IBC v2."""

import json
from collections.abc import Iterator
from random import Random

from conformance.oracle.program import Case, Verdict
from conformance.oracle.wire_noise import Grammar, noisy
from pyibc.apps.transfer import packet_data
from pyibc.core.errors import IbcError
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF, Payload
from pyibc.proto.ibc.applications.transfer.v1.packet_pb2 import FungibleTokenPacketData
from pyibc.proto.varint import encode_varint

_FIELDS = ("denom", "amount", "sender", "receiver", "memo")
_DENOMS = (
    "stake", "transfer/channel-0/stake", "transfer/channel-0/transfer/channel-1/stake", "ibc/ABC", "", " ",
    "/",
    "transfer/channel-0/", "transfer/channel-/stake", "transfer//stake", "a/b/c", "transfer/channel-01/stake",
    "transfer/07-tendermint-0/stake", "gamm/pool/1", "p/channel-18446744073709551616/s", "transfer/channel-0",
    "\u00e9/channel-0/x", "trans fer/channel-0/x", "x" * 200,
    "transfer/08-wasm-1/transfer/channel-3/gamm/pool/1",
    "transfer/channel-0/" * 5 + "x", "transfer/connection-0/x", "transfer/client-a-1/x", "a-b/c-1/x",
)  # fmt: skip
_AMOUNTS = (
    "1", "0", "-1", "+1", "007", "1.0", "1e3", "", " 1", "0x10", "0b11", "0o17", "017", "1_000", "_1", "1__0",
    str(2**256 - 1), str(2**256), "0" * 90 + "1", "9" * 78, "\u0661", "NaN", "0X1f", "0x", "-0", "1\n",
)  # fmt: skip
_TEXTS = (
    "cosmos1abc",
    "",
    " ",
    "\t",
    "\u00a0",
    "\u0085",
    "\u2028",
    "\u200b",
    "\ufeff",
    "x" * 3000,
    "\u00e9",
    '"',
    "\\",
    "<&>",
)
_JUNK = (
    b" ", b"\n", b"\t", b"\r", b",", b":", b"{", b"}", b"[", b"]", b"null", b"true", b"1", b'"', b"\\",
    b"\\u00e9",
    b"\\ud800", b"\\udc00", b"\\ud83d\\ude00", b"\xff", b"\x00", b"\x1f", b"\x7f", b"\xc3", b"//",
    b"\xef\xbb\xbf", b"0",
    b"-", b"\\/", b"\\x", b"\\u12", b'"memo":"m",', b'"Memo":"n",', b'"MEMO":null,', b'"denom":null,',
    b'"\xc5\xbf":"a",',    b'"\\u017fender":"k",', b'"memo":1,', b'"memo":{},', b'"other":[1,{"a":[]}],',
    b'"":"",', b"\xe2\x80\xa8",
)  # fmt: skip


def cases(seed: int) -> Iterator[Case]:
    """Yield random packet data endlessly."""
    rng = Random(seed)  # noqa: S311  # cases are to be repeated, not secret
    grammar = Grammar(rng, _TEXTS, ())
    while True:
        fields = _fields(rng)
        encoding = rng.choice((JSON,) * 5 + (PROTOBUF, PROTOBUF, ABI))
        if encoding == JSON:
            raw = _json(rng, fields)
        elif encoding == PROTOBUF:
            raw = _noisy_wire(grammar, FungibleTokenPacketData(**fields).SerializeToString())
        else:
            raw = _abi(rng, fields)
        yield Case("t", (raw, encoding.encode()))


def ours(case: Case) -> Verdict:
    """Return this decoder's result."""
    raw, encoding = case.arguments
    try:
        read = packet_data.decode_payload(
            Payload("transfer", "transfer", packet_data.VERSION, encoding.decode(), raw)
        )
    except IbcError as error:
        return Verdict(f"{error.codespace}/{error.code}", str(error).encode())
    told = [read.denom.path, read.amount_text, read.sender, read.receiver, read.memo]
    return Verdict("", b"".join(encode_varint(len(each)) + each for each in map(str.encode, told)))


def _fields(rng: Random) -> dict[str, str]:
    odd = rng.random()
    return {
        "denom": rng.choice(_DENOMS) if odd < 0.6 else "stake",
        "amount": rng.choice(_AMOUNTS) if 0.4 < odd < 0.8 else "12",
        "sender": rng.choice(_TEXTS) if odd > 0.7 else "sender",
        "receiver": rng.choice(_TEXTS) if odd > 0.8 else "receiver",
        "memo": rng.choice(_TEXTS) if rng.random() < 0.5 else "",
    }


def _json(rng: Random, fields: dict[str, str]) -> bytes:
    members: list[tuple[str, object]] = [
        (_odd_case(rng, name), text) for name, text in fields.items() if rng.random() < 0.95
    ]
    if rng.random() < 0.2:
        rng.shuffle(members)
    if rng.random() < 0.2:
        members.append((rng.choice(_FIELDS), rng.choice(("again", "1", None, 5, True, [], {}))))
    ascii_only = rng.random() < 0.5
    inner = ",".join(
        f"{json.dumps(name, ensure_ascii=ascii_only)}:{json.dumps(text, ensure_ascii=ascii_only)}"
        for name, text in members
    )
    return spoilt(rng, f"{{{inner}}}".encode())


def spoilt(rng: Random, raw: bytes) -> bytes:
    """Return JSON, usually with a corruption."""
    while rng.random() < 0.35:
        at = rng.randint(0, len(raw))
        end = at if rng.random() < 0.7 else min(len(raw), at + rng.choice((1, 2, 8)))
        raw = raw[:at] + rng.choice((*_JUNK, b"")) + raw[end:]
    return raw


def _odd_case(rng: Random, name: str) -> str:
    pick = rng.random()
    if pick < 0.85:
        return name
    if pick < 0.95:
        return "".join(each.upper() if rng.random() < 0.5 else each for each in name)
    return name.replace("s", "\u017f")  # Go's case folding includes the long s


def _noisy_wire(grammar: Grammar, raw: bytes) -> bytes:
    while grammar.rng.random() < 0.5:
        raw = noisy(grammar.rng, raw)
    return raw


def _abi(rng: Random, fields: dict[str, str]) -> bytes:
    """Return an ABI tuple of four strings and a number, sometimes with corrupted words."""
    number = rng.choice((0, 1, 12, 2**63, 2**256 - 1))
    texts = [fields[name].encode() for name in ("denom", "sender", "receiver", "memo")]
    head, tail, at = [], b"", 5 * 32
    for place, text in enumerate(texts):
        if place == 3:
            head.append(number.to_bytes(32, "big"))
        head.append((at + len(tail)).to_bytes(32, "big"))
        tail += len(text).to_bytes(32, "big") + text + bytes(-len(text) % 32)
    raw = bytearray((32).to_bytes(32, "big") + b"".join(head) + tail)
    while rng.random() < 0.4:
        word = 32 * rng.randrange(len(raw) // 32)
        value = rng.choice(
            (0, 1, 31, 32, 64, 96, 160, 192, len(raw), len(raw) - 32, 2**63, 2**64, 2**255, 2**256 - 1)
        )
        raw[word : word + 32] = value.to_bytes(32, "big")
    if rng.random() < 0.2:
        raw = raw[: rng.randrange(len(raw) + 1)]
    if rng.random() < 0.2:
        raw += rng.randbytes(rng.choice((1, 32)))
    return bytes(raw)
