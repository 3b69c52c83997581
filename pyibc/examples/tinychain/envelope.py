"""Transactions of this chain: a JSON envelope around calls, signed by one Ed25519 key.

    {"body":{"chain":"tiny-1","nonce":0,"key":"base64","calls":[{"type":"/...","value":"base64"}]},"signature":"base64"}

Every envelope has exactly one encoding (no spaces, fields in this order), so that a signed one cannot be
turned into a second transaction. The route of a call's type decodes its value: protobuf for IBC, JSON for
this chain's own message.
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
_DOMAIN = b"tinychain transaction:"  # separates these signatures from any other use of the key


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Message."""

    type: str
    value: bytes


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Signed part of a transaction."""

    chain: str
    nonce: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    key: bytes  # the signer's public key
    calls: list[Call]


class Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Transaction."""

    body: Body
    signature: bytes


def address_of(public_key: bytes) -> bytes:
    """Return the 20-byte address of a key."""
    return sha256(public_key).digest()[:20]


def sign(key: SigningKey, chain_id: str, nonce: int, messages: Sequence[AnyMessage]) -> bytes:
    """Sign and encode a transaction."""
    calls = [Call(message.type_url, message.value) for message in messages]
    body = Body(chain_id, nonce, bytes(key.verify_key), calls)
    return msgspec.json.encode(Envelope(body, key.sign(_sign_bytes(body)).signature))


def open_envelope(raw: bytes, chain_id: str) -> Body:
    """Decode a transaction and verify its form and signature.

    Raises:
        TxTooLarge: it has more than MAX_BYTES.
        TxDecode: it is not the canonical encoding of an envelope, or has no calls.
        UnauthorizedTx: it was signed for another chain, or with another key.
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
