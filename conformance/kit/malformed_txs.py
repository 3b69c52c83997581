"""Random malformed transactions, as a dishonest proposer could include them in blocks.

Three kinds: corrupted bytes, valid messages in an invalid envelope (signatures, fees, gas, sequence), and
correctly signed transactions whose messages have random content. The same `Random` state gives the same
transactions.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from google.protobuf.any_pb2 import Any as PbAny
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import Coin, coin
from pyibc.proto.pool import message_class
from pyibc.relayer.money.wallet import Wallet

_TEXTS = (
    "", " ", "\n", "a", "\x00", "🙃", "..", "/", "transfer", "transfer\n", "channel-0", "channel-01",
    "channel-18446744073709551616", "connection-0", "connection-localhost", "07-tendermint-0", "09-localhost",
    "ibc/xyz", "transfer/channel-0/stake", "stake", "-1", "1e3", "1" * 79, "x" * 129, "x" * 33_000, "chain-1",
    "ics20-1", "ORDER_ORDERED", "cosmos1", "{}", "\u0661",
)  # fmt: skip
_NUMBERS = (0, 1, 2, 99, 2**31 - 1, 2**63 - 1, 2**64 - 1, -1, -(2**63))
_OURS = frozenset({"signer", "sender", "authority", "from_address"})
_ANYS = (
    "ibc.lightclients.tendermint.v1.ClientState",
    "ibc.lightclients.tendermint.v1.ConsensusState",
    "ibc.lightclients.tendermint.v1.Header",
    "ibc.lightclients.tendermint.v1.Misbehaviour",
    "ibc.lightclients.solomachine.v3.ClientState",
)
_DEPTH = 6


class Payer(NamedTuple):
    """A signer with its account number and sequence."""

    wallet: Wallet
    number: int
    sequence: int

    def sign(self, messages: Sequence[AnyMessage], chain_id: str, **changes: Any) -> bytes:
        """Sign a transaction with the next sequence; `changes` override arguments of `Wallet.sign_tx`."""
        told: dict[str, Any] = {
            "chain_id": chain_id,
            "account_number": self.number,
            "sequence": self.sequence,
            "gas_limit": 2_000_000,
        }
        return self.wallet.sign_tx(messages, **{**told, **changes})

    def send(self, amount: int = 1) -> AnyMessage:
        """Return a valid message, a payment of the account to itself."""
        own = self.wallet.address.text
        return AnyMessage(MSG_SEND, encode_send(own, own, (coin("stake", amount),)))


def corrupted_bytes(r: Random, payer: Payer, chain_id: str) -> bytes:
    """Return random bytes, or a transaction with changed bytes."""
    raw = payer.sign([payer.send()], chain_id)
    at = r.randrange(len(raw))
    return r.choice([
        b"",
        b"\x00",
        b"\xff" * 20,
        r.randbytes(r.randrange(1, 400)),
        raw[:at],
        raw[:at] + bytes([raw[at] ^ 1 << r.randrange(8)]) + raw[at + 1 :],
        raw[:at] + r.randbytes(3) + raw[at:],
        raw + raw,
        raw + b"\x7a\x00",
        raw + b"\xfa\x3f\x01x",
        payer.sign([_nested(r.choice([3, 30, 1000]))], chain_id),
        b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    ])  # fmt: skip


def _nested(depth: int) -> AnyMessage:
    """Return nested Anys."""
    raw = b""
    for _ in range(depth):
        raw = _any("google.protobuf.Any", raw)
    return AnyMessage("/google.protobuf.Any", raw)


def _any(name: str, value: bytes) -> bytes:
    return PbAny(type_url="/" + name, value=value).SerializeToString()


def bad_envelope(r: Random, payer: Payer, chain_id: str) -> bytes:
    """Return valid messages in an invalid envelope."""
    changes: Mapping[str, Any] = r.choice([
        {"sequence": payer.sequence + 1},
        {"sequence": 2**64 - 1},
        {"account_number": payer.number + 1},
        {"gas_limit": 0},
        {"gas_limit": 2**64 - 1},
        {"gas_limit": r.randrange(1, 40_000)},
        {"memo": "m" * 257},
        {"timeout_height": 1},
        {"fee": (coin("stake", 10**30),)},
        {"fee": (coin("nothing", 1),)},
        {"fee": (Coin("stake", 0, "0"),)},
    ])  # fmt: skip
    messages = r.choice(
        [[payer.send()], [payer.send(10**30)], [payer.send()] * 1001, [], [payer.send(), _alien()]]
    )
    chain_id = r.choice([chain_id] * 9 + ["other-1"])
    return payer.sign(messages, chain_id, **changes)


def _alien() -> AnyMessage:
    return AnyMessage("/cosmos.gov.v1.MsgVote", b"\x08\x01")


def bad_message(r: Random, payer: Payer, chain_id: str, type_urls: Sequence[str]) -> bytes:
    """Return messages of known types with random content, sometimes after a valid one."""
    own = payer.wallet.address.text
    bad = [_message(r, r.choice(type_urls), own) for _ in range(r.choice([1, 1, 2]))]
    messages = [payer.send(), *bad] if r.random() < 0.3 else bad
    return payer.sign(messages, chain_id)


def _message(r: Random, type_url: str, own: str) -> AnyMessage:
    made = message_class(type_url.lstrip("/"))()
    _fill(r, made, own, _DEPTH)
    return AnyMessage(type_url, made.SerializeToString())


def _fill(r: Random, message: Message, own: str, depth: int) -> None:
    """Set most of the fields to random values."""
    if message.DESCRIPTOR.full_name == "google.protobuf.Any":
        _fill_any(r, message, own, depth)
        return
    for field in message.DESCRIPTOR.fields:
        if field.name in _OURS and field.cpp_type == FieldDescriptor.CPPTYPE_STRING and r.random() < 0.95:
            setattr(message, field.name, own)
        elif r.random() < 0.8:
            _set(r, message, field, own, depth)


def _fill_any(r: Random, message: Any, own: str, depth: int) -> None:
    name = r.choice([*_ANYS, "no.such.Type", "google.protobuf.Any"])
    message.type_url = "/" + name
    if name == "no.such.Type" or depth <= 0:
        message.value = r.randbytes(r.randrange(20))
        return
    inner = message_class(name)()
    _fill(r, inner, own, depth - 1)
    message.value = inner.SerializeToString()


def _set(r: Random, message: Message, field: Any, own: str, depth: int) -> None:
    if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
        if depth > 0:
            _set_inner(r, message, field, own, depth)
        return
    value = _VALUES.get(field.cpp_type, _number)(r, field)
    if field.is_repeated:
        getattr(message, field.name).extend([value] * r.choice([0, 1, 2, 101]))
    else:
        setattr(message, field.name, value)


def _set_inner(r: Random, message: Message, field: Any, own: str, depth: int) -> None:
    target = getattr(message, field.name)
    if not field.is_repeated:
        target.SetInParent()
        _fill(r, target, own, depth - 1)
        return
    for _ in range(r.choice([0, 1, 2])):
        _fill(r, target.add(), own, depth - 1)


def _text(r: Random, _field: FieldDescriptor) -> str:
    return r.choice(_TEXTS)


def _bytes(r: Random, _field: FieldDescriptor) -> bytes:
    return r.choice([b"", b"\x00", r.randbytes(20), r.randbytes(32), b"\xff" * 65, b"[" * 100_000, b"{}"])


def _boolean(r: Random, _field: FieldDescriptor) -> bool:
    return r.random() < 0.5


def _enum(r: Random, _field: FieldDescriptor) -> int:
    return r.choice([0, 1, 2, 3, 99, -1])


def _number(r: Random, field: FieldDescriptor) -> int:
    bits, is_signed = _WIDTHS[field.cpp_type]
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
    return r.choice([each for each in _NUMBERS if least <= each <= most])


_VALUES: Mapping[int, Callable[[Random, FieldDescriptor], Any]] = {
    FieldDescriptor.CPPTYPE_STRING: lambda r, field: (
        _bytes(r, field) if field.type == FieldDescriptor.TYPE_BYTES else _text(r, field)
    ),
    FieldDescriptor.CPPTYPE_BOOL: _boolean,
    FieldDescriptor.CPPTYPE_ENUM: _enum,
}
_WIDTHS = {
    FieldDescriptor.CPPTYPE_INT32: (32, True),
    FieldDescriptor.CPPTYPE_INT64: (64, True),
    FieldDescriptor.CPPTYPE_UINT32: (32, False),
    FieldDescriptor.CPPTYPE_UINT64: (64, False),
}
