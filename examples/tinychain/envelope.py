"""Transactions of this chain: a JSON envelope around calls, signed by one Ed25519 key.

    {"body":{"chain":"tiny-1","nonce":0,"key":"base64","calls":[{"type":"/...","value":"base64"}]},"signature":"base64"}

Every envelope has exactly one encoding (no spaces, fields in this order), so that nobody can make a
second transaction out of a signed one. A call's value is whatever its type's route decodes: protobuf
for IBC, JSON for this chain's own.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Annotated

import msgspec
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from pyibc import AnyMessage
from pyibc.errors import TxDecode, TxTooLarge, UnauthorizedTx

MAX_BYTES = 1_048_576
_DOMAIN = b"tinychain transaction:"  # no signature for something else is valid for a transaction


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One message."""

    type: str
    value: bytes


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is signed."""

    chain: str
    nonce: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    key: bytes  # the signer's public key
    calls: list[Call]


class Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A transaction."""

    body: Body
    signature: bytes


def address_of(public_key: bytes) -> bytes:
    """The 20-byte address of a key."""
    return sha256(public_key).digest()[:20]


def sign(key: SigningKey, chain_id: str, nonce: int, messages: Sequence[AnyMessage]) -> bytes:
    """The bytes of a signed transaction."""
    calls = [Call(message.type_url, message.value) for message in messages]
    body = Body(chain_id, nonce, bytes(key.verify_key), calls)
    return msgspec.json.encode(Envelope(body, key.sign(_sign_bytes(body)).signature))


def open_envelope(raw: bytes, chain_id: str) -> Body:
    """What `raw` says, once its form and signature are known to be good.

    Raises:
        TxTooLarge: more than MAX_BYTES.
        TxDecode: not the one encoding of an envelope, or without calls.
        UnauthorizedTx: signed for another chain, or not signed by its key.
    """
    if len(raw) > MAX_BYTES:
        raise TxTooLarge(len(raw), MAX_BYTES)
    try:
        envelope = msgspec.json.decode(raw, type=Envelope)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise TxDecode(str(error)) from error
    body = envelope.body
    if msgspec.json.encode(envelope) != raw or not body.calls:
        raise TxDecode("not the canonical form of an envelope with calls")
    if body.chain != chain_id:
        raise UnauthorizedTx(f"signed for chain {body.chain[:64]!r}")
    try:
        VerifyKey(body.key).verify(_sign_bytes(body), envelope.signature)
    except (BadSignatureError, ValueError) as error:  # ValueError: a key or signature of another length
        raise UnauthorizedTx("the signature is not of this key") from error
    return body


def _sign_bytes(body: Body) -> bytes:
    return _DOMAIN + msgspec.json.encode(body)
