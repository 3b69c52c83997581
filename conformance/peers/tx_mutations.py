"""Mutations of a transaction."""

from collections.abc import Callable

from conformance.peers.tx_draft import Draft, Signer
from pyibc.chain.bank.send import MSG_SEND
from pyibc.codec.encoding import encode
from pyibc.core.address import AddressCodec
from pyibc.core.crypto import secp256k1
from pyibc.proto.cosmos.bank.v1beta1 import tx_pb2 as bank_pb2
from pyibc.proto.cosmos.crypto.multisig.keys_pb2 import LegacyAminoPubKey
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from pyibc.relayer.money.wallet import seed_key

Mutation = Callable[[Draft], object]
"""Change a draft; may return the encoded transaction instead."""


def field(number: int, value: bytes) -> bytes:
    """Return an encoded length-delimited field; `number` below 16, `value` below 16 KiB."""
    return bytes([number << 3 | 2]) + short(len(value)) + value


def short(number: int) -> bytes:
    """Return a varint of one or two bytes."""
    return bytes([number]) if number < 128 else bytes([number & 127 | 128, number >> 7])


def fee(*coins: tuple[str, str]) -> Mutation:
    """Add these fee coins, valid or not."""

    def mutate(draft: Draft) -> None:
        for denom, amount in coins:
            draft.auth.fee.amount.add(denom=denom, amount=amount)

    return mutate


def gas(limit: int) -> Mutation:
    """Set the gas limit."""
    return lambda draft: setattr(draft.auth.fee, "gas_limit", limit)


def body(**fields: object) -> Mutation:
    """Set scalar fields of TxBody."""

    def mutate(draft: Draft) -> None:
        for name, value in fields.items():
            setattr(draft.body, name, value)

    return mutate


def until(seconds: int, nanos: int = 0) -> Mutation:
    """Set the timeout timestamp."""

    def mutate(draft: Draft) -> None:
        draft.body.timeout_timestamp.seconds, draft.body.timeout_timestamp.nanos = seconds, nanos

    return mutate


def tail(part: str, raw: bytes) -> Mutation:
    """Append bytes to `body`, `auth` or `tx`; those of the first two are signed."""
    return lambda draft: draft.tails.update({part: raw})


def signatures(change: Callable[[list[bytes]], list[bytes]]) -> Mutation:
    """Replace the signatures."""
    return lambda draft: draft.signed(change(draft.signatures()))


def sequence(by: int) -> Mutation:
    """Add to the sequence, and sign it."""

    def mutate(draft: Draft) -> None:
        draft.auth.signer_infos[0].sequence += by

    return mutate


def signed_as(**fields: object) -> Mutation:
    """Sign with other values, such as another account number."""

    def mutate(draft: Draft) -> None:
        draft.signing[0] = draft.signing[0]._replace(**fields)  # type: ignore[arg-type] # by name

    return mutate


def mode(number: int) -> Mutation:
    """Set the sign mode."""
    return lambda draft: setattr(draft.auth.signer_infos[0].mode_info.single, "mode", number)


def key(type_url: str, value: bytes) -> Mutation:
    """Set the public key."""

    def mutate(draft: Draft) -> None:
        draft.auth.signer_infos[0].public_key.type_url = type_url
        draft.auth.signer_infos[0].public_key.value = value

    return mutate


def own_key(raw: bytes) -> Mutation:
    """Set the bytes of the secp256k1 public key."""
    return key(secp256k1.TYPE_URL, encode(PubKey(key=raw)))


def only_message(type_url: str, value: bytes = b"") -> Mutation:
    """Replace all messages by this one."""

    def mutate(draft: Draft) -> None:
        del draft.body.messages[:]
        draft.add(type_url, value)

    return mutate


def paying(*coins: tuple[str, str], sender: str = "", receiver: str = "") -> Mutation:
    """Make it a payment with any text as amounts and addresses."""

    def mutate(draft: Draft) -> None:
        me = draft.people[0].address
        message = bank_pb2.MsgSend(from_address=sender or me, to_address=receiver or me)
        for denom, amount in coins:
            message.amount.add(denom=denom, amount=amount)
        only_message(MSG_SEND, encode(message))(draft)

    return mutate


def message_tail(raw: bytes) -> Mutation:
    """Append bytes to the message."""

    def mutate(draft: Draft) -> None:
        draft.body.messages[0].value += raw

    return mutate


def option(name: str, type_url: str) -> Mutation:
    """Add an extension option."""
    return lambda draft: getattr(draft.body, name).add(type_url=type_url)


def payer(text: str | None, *, signs: bool = False) -> Mutation:
    """Set the fee payer; None: the second signer."""

    def mutate(draft: Draft) -> None:
        draft.auth.fee.payer = draft.people[1].address if text is None else text
        if signs:
            draft.sign_by(draft.people[1])

    return mutate


def two_senders(draft: Draft) -> None:
    """Add two messages with different senders, signed only by the first."""
    draft.pay(draft.people[1])


def two_signers(draft: Draft) -> None:
    """Add two messages with different senders, signed by both."""
    draft.pay(draft.people[1])
    draft.sign_by(draft.people[1])


def two_signers_crossed(draft: Draft) -> None:
    """Add two signers, with their signatures swapped."""
    two_signers(draft)
    draft.signing.reverse()


def unknown_account(draft: Draft) -> bytes:
    """Sign by an account that does not exist."""
    return Draft(draft.chain_id, [Signer(seed_key("a stranger"), 0, 0)]).signed()


def other_prefix(draft: Draft) -> None:
    """Use the sender's address with the prefix of another chain."""
    raw = secp256k1.address(draft.people[0].public_key)
    paying(("stake", "1"), sender=AddressCodec("osmo").encode(raw).text)(draft)


def multisig(draft: Draft) -> None:
    """Use a threshold key that contains the account's own key."""
    own = draft.auth.signer_infos[0].public_key
    threshold = LegacyAminoPubKey(threshold=1)
    threshold.public_keys.add(type_url=own.type_url, value=own.value)
    key("/cosmos.crypto.multisig.LegacyAminoPubKey", encode(threshold))(draft)


def duplicate_signer_info(draft: Draft) -> None:
    """Add one signer info too many."""
    draft.auth.signer_infos.add().CopyFrom(draft.auth.signer_infos[0])


def signed_twice(draft: Draft) -> None:
    """Add one signer info and signature too many."""
    draft.sign_by(draft.people[0])


def many_messages(draft: Draft) -> None:
    """Repeat the message 1,001 times."""
    for _ in range(1000):
        draft.pay(draft.people[0])
    draft.auth.fee.gas_limit = 100_000_000


def swapped(draft: Draft) -> bytes:
    """Return TxRaw with AuthInfo before TxBody."""
    own_body, auth = draft.parts()
    return field(2, auth) + field(1, own_body) + field(3, draft.signatures()[0])


def padded(draft: Draft) -> bytes:
    """Return TxRaw whose last length has a redundant byte."""
    own_body, auth = draft.parts()
    return field(1, own_body) + field(2, auth) + b"\x1a\xc0\x00" + draft.signatures()[0]


def without_auth(draft: Draft) -> bytes:
    """Return TxRaw without AuthInfo."""
    return field(1, draft.parts()[0]) + field(3, draft.signatures()[0])


def high_s(good: list[bytes]) -> list[bytes]:
    """Return the equivalent signature with high s."""
    order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    return [good[0][:32] + (order - int.from_bytes(good[0][32:], "big")).to_bytes(32, "big")]


UNKNOWN, PASSING = b"\x98\x06\x01", b"\xc0\x40\x01"
"""Unknown fields 99 and 1032: in TxBody, bit 11 of the number marks a field as non-critical."""
