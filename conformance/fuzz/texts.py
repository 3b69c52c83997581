"""Cases of texts: JSON in packets, acknowledgements and messages; names, amounts, addresses."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from conformance.fuzz.block_stage import tried
from conformance.fuzz.case import Attack, Case, open_attack
from conformance.fuzz.scalars import TEXTS
from conformance.fuzz.wire import repeat
from pyibc.apps.callbacks.memo import Side, callback_data
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.denom import parse_denom
from pyibc.codec import gojson, protojson
from pyibc.codec.gotime import parse_rfc3339
from pyibc.core import identifiers
from pyibc.core.address import AddressCodec, decode_bech32
from pyibc.core.application.packet_data import PacketData
from pyibc.core.coin import is_denom, parse_amount
from pyibc.core.errors import TxDecode
from pyibc.core.height import parse_height
from pyibc.core.packet import acknowledgement
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF, Payload

_T = TypeVar("_T", bytes, str)

Write = Callable[[int], bytes]


def _deep(start: bytes, end: bytes, core: bytes = b"1") -> Write:
    def write(size: int) -> bytes:
        depth = max(1, size // (len(start) + len(end)))
        return start * depth + core + end * depth

    return write


def _list(piece: bytes) -> Write:
    return lambda size: b"[" + repeat(piece + b",", size) + b"1]"


def _object(member: bytes) -> Write:
    return lambda size: b"{" + repeat(member + b",", size) + b'"z":"1"}'


def _keys(size: int) -> bytes:
    return b"{" + b",".join([b'"%x":"1"' % number for number in range(size // 11)]) + b"}"


def _wide_and_deep(size: int) -> bytes:
    """Return nested objects: checking the keys again at each level would take quadratic time."""
    depth = max(1, size // 30)
    return b'{"a":"1","bb":"22","c":' * depth + b"1" + b"}" * depth


SHAPES: Mapping[str, Write] = {
    "deep lists": _deep(b"[", b"]"),
    "open lists": lambda size: b"[" * size,
    "deep objects": _deep(b'{"a":', b"}"),
    "open objects": lambda size: repeat(b'{"a":', size),
    "objects wide and deep": _wide_and_deep,
    "many numbers": _list(b"1"),
    "many empty lists": _list(b"[]"),
    "many lists of lists": _list(b"[[1]]"),
    "many objects of objects": _list(b'{"":{"":1}}'),
    "many deep lists": _list(b"[[[[[[1]]]]]]"),
    "many texts": _list(b'"a"'),
    "many nulls": _list(b"null"),
    "many keys": _keys,
    "one key again and again": _object(b'"denom":"1"'),
    "a field in every case": _object(b'"dEnOm":"1"'),
    "fields of null": _object(b'"memo":null'),
    "escaped keys": _object(b'"\\u006demo":"1"'),
    "keys of long s": _object('"\u017fender":"1"'.encode()),
    "long number": lambda size: b"1" * size,
    "long fraction": lambda size: b"0." + b"1" * size,
    "long exponent": lambda size: b"1e" + b"9" * size,
    "long number in a field": lambda size: b'{"amount":' + b"9" * size + b"}",
    "long text": lambda size: b'"' + b"a" * size + b'"',
    "open text": lambda size: b'"' + b"a" * size,
    "escapes": lambda size: b'"' + repeat(b"\\n", size) + b'"',
    "escaped letters": lambda size: b'"' + repeat(b"\\u0061", size) + b'"',
    "surrogate pairs": lambda size: b'"' + repeat(b"\\ud83d\\ude43", size) + b'"',
    "half surrogates": lambda size: b'"' + repeat(b"\\ud83d", size) + b'"',
    "no UTF-8": lambda size: b'"' + b"\xff" * size + b'"',
    "spaces": lambda size: b" " * size + b"1",
    "spaces inside": lambda size: b"[" + b" " * size + b"1]",
    "rest": lambda size: b"1" + b" 1" * (size // 2),
    "backslashes": lambda size: b'"' + b"\\" * size,
    "base64": lambda size: b'{"result":"' + b"A" * (size // 4 * 4) + b'"}',
    "base64 broken": lambda size: b'{"result":"' + b"A\\n" * (size // 3) + b'"}',
    "bytes as numbers": lambda size: b'{"result":[' + repeat(b"1,", size) + b"1]}",
    "error of escapes": lambda size: b'{"error":"' + repeat(b"\\u2028", size) + b'"}',
    "Anys inside each other": _deep(b'{"@type":"/google.protobuf.Any","value":', b"}", b"{}"),
    "message of many keys": lambda size: (
        b'{"@type":"/ibc.core.channel.v1.MsgRecvPacket",' + repeat(b'"signer":"1",', size) + b'"signer":"1"}'
    ),
    "message of many messages": lambda size: (
        b'{"@type":"/ibc.core.connection.v1.MsgConnectionOpenTry","counterparty_versions":['
        + repeat(b"{},", size)
        + b"{}]}"
    ),
    "message of many times": lambda size: (
        b'{"@type":"/tendermint.types.Commit","signatures":['
        + repeat(b'{"timestamp":"2020-01-01T00:00:00.000000001Z"},', size)
        + b"{}]}"
    ),
    "message of a long number": lambda size: (
        b'{"@type":"/ibc.core.client.v1.Height","revision_height":"' + b"1" * size + b'"}'
    ),
    "message of a long duration": lambda size: (
        b'{"@type":"/ibc.lightclients.tendermint.v1.ClientState","trusting_period":"' + b"1" * size + b's"}'
    ),
    "transfer of a long memo": lambda size: _transfer(memo="a" * size),
    "transfer of a memo of lines": lambda size: _transfer(memo="\u2028" * (size // 6)),
    "transfer of hops": lambda size: _transfer(denom="transfer/channel-0/" * (size // 19) + "a"),
    "transfer of slashes": lambda size: _transfer(denom="/" * size),
    "transfer of clients": lambda size: _transfer(denom="transfer/07-tendermint-0/" * (size // 25) + "a"),
    "transfer of digits": lambda size: _transfer(amount="1" * size),
    "transfer of zeros": lambda size: _transfer(amount="0" * size + "1"),
    "transfer of lines in digits": lambda size: _transfer(amount="1_" * (size // 2) + "1"),
    "transfer to spaces": lambda size: _transfer(receiver=" " * size),
    "transfer to a long name": lambda size: _transfer(receiver="COSMOS1" + "Q" * size),
}


def _transfer(**changed: str) -> bytes:
    fields = {"denom": "a", "amount": "1", "sender": "s", "receiver": "r", **changed}
    return json.dumps(fields, ensure_ascii=False).encode()


def _refusing(refusal: type[Exception], read: Callable[[_T], object]) -> Callable[[_T], object]:
    """Return a reader whose refusal exception counts as a protocol error."""

    def run(given: _T) -> object:
        try:
            return read(given)
        except refusal as error:
            raise TxDecode(type(error).__name__) from None

    return run


def _payload(encoding: str, raw: bytes) -> object:
    return packet_data.decode_payload(Payload("transfer", "transfer", "ics20-1", encoding, raw))


def _packet(raw: bytes) -> object:
    """Parse the data of a received transfer completely."""
    data = packet_data.decode(raw)
    return data.denom.json, data.denom.coin_denom, packet_data.encode(data)


def _acknowledgement(raw: bytes) -> object:
    acknowledgement.check_canonical(raw)
    found = acknowledgement.parse(raw)
    return None if found is None else acknowledgement.text_format(found)


def _memo(raw: bytes) -> object:
    """Parse a packet's memo for a contract call."""
    told = PacketData("sender", "receiver", raw.decode("utf-8", "replace"), None)
    return callback_data(told, Side.DESTINATION, "ics20-1", "transfer", 10**6, 10**6)


def _denomination(text: str) -> object:
    denom = parse_denom(text)
    denom.validate()
    return denom.json


_CODEC = AddressCodec("cosmos")

_JSON_READERS: Mapping[str, Callable[[bytes], object]] = {
    "JSON": _refusing(gojson.JsonError, gojson.parse),
    "JSON, the first of many": _refusing(gojson.JsonError, gojson.parse_first),
    "flat JSON": _refusing(gojson.JsonError, gojson.parse_flat_object),
    "JSON of a message": protojson.read_any,
    "packet data": _packet,
    "payload in JSON": partial(_payload, JSON),
    "payload in protobuf": partial(_payload, PROTOBUF),
    "payload in ABI": partial(_payload, ABI),
    "acknowledgement": _acknowledgement,
    "memo": _memo,
    "callback in a memo": lambda raw: _memo(b'{"dest_callback":%b}' % raw),
}
_TEXT_READERS: Mapping[str, Callable[[str], object]] = {
    "denomination": _denomination,
    "coin's name": is_denom,
    "amount": parse_amount,
    "address": lambda text: _CODEC.decode(text, "signer"),
    "bech32": decode_bech32,
    "identifier of a client": identifiers.validate_client_id,
    "identifier of a port": identifiers.validate_port_id,
    "identifier of a channel": identifiers.validate_channel_id,
    "channel in a denomination": identifiers.is_channel_id,
    "time": _refusing(ValueError, parse_rfc3339),
    "height": parse_height,
}


def text_cases() -> Iterator[Case]:
    """Return every text for every parser of texts."""
    for reader, read in _JSON_READERS.items():
        for shape, write in SHAPES.items():
            yield Case(f"{reader}: {shape}", partial(_json, read, write))
        for shape, piece in TEXTS.items():
            yield Case(f"{reader}: only {shape}", partial(_json, read, partial(repeat, piece)))
    for reader, parse in _TEXT_READERS.items():
        for shape, piece in TEXTS.items():
            yield Case(f"{reader} of {shape}", partial(_text, parse, piece))


def _json(read: Callable[[bytes], object], write: Write, size: int) -> Attack:
    raw = write(size)
    return open_attack(len(raw), lambda: tried(lambda: read(raw)))


def _text(read: Callable[[str], object], piece: bytes, size: int) -> Attack:
    text = repeat(piece, size).decode("utf-8", "replace")
    return open_attack(size, lambda: tried(lambda: read(text)))
