"""Cases of transactions in unusual encodings, to compare the decoders of both chains."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pkgutil import walk_packages
from random import Random
from types import MappingProxyType

from google.protobuf.message import DecodeError

import pyibc.core
from conformance.oracle.program import Case, Verdict
from conformance.oracle.wire_noise import Grammar, noisy
from localnet.settings import funded
from pyibc.apps.transfer import msg_server as msg_transfer
from pyibc.chain.app import HostApp
from pyibc.chain.config import HostConfig
from pyibc.core.address import AddressCodec
from pyibc.core.coin import coin
from pyibc.core.crypto import secp256k1
from pyibc.core.host.context import Config
from pyibc.core.wire.message import Msg
from pyibc.core.wire.tx import encode_tx, sign_bytes
from pyibc.default_plugins import plugins
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from pyibc.proto.cosmos.tx.signing.v1beta1.signing_pb2 import SIGN_MODE_DIRECT
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2

CHAIN_ID = "oracle-1"
_BLOCK_GAS = 100_000_000  # simapp's
_NOW = 1_700_000_000_000_000_000
_KEY = secp256k1.PrivateKey(b"\x01" * 32)
_ADDRESSES = AddressCodec("cosmos")
_SIGNER = _ADDRESSES.encode(secp256k1.address(_KEY.public_key)).text
_RECEIVER = _ADDRESSES.encode(bytes(20)).text
_TEXTS = (
    _SIGNER, _SIGNER, _SIGNER, _SIGNER.upper(), _ADDRESSES.encode(bytes(32)).text, "cosmos1", "", " ",
    "07-tendermint-0", "connection-0", "channel-0", "transfer", "stake", "ibc/ABC", "1", "0", "-1", "007",
    "1" * 77, "9" * 78, "1" * 80, "1.5", "+1", "0x10", "1_0", "\u00e9", "\u0000", "\U0001f600", "a" * 300,
)  # fmt: skip


def _messages() -> dict[str, type[Msg]]:
    for found in walk_packages(pyibc.core.__path__, "pyibc.core."):
        import_module(found.name)
    import_module(msg_transfer.__name__)
    known, left = {}, Msg.__subclasses__()
    while left:
        cls = left.pop()
        left += cls.__subclasses__()
        if hasattr(cls, "TYPE_URL") and cls.TYPE_URL.startswith(
            ("/ibc.core.", "/ibc.applications.transfer.")
        ):
            known[cls.TYPE_URL] = cls
    return known


MESSAGES = MappingProxyType(_messages())
"""Type URL -> class of the messages that both sides know."""

_SEND = "/cosmos.bank.v1beta1.MsgSend"
_STATES = (
    "ibc.lightclients.tendermint.v1.ClientState", "ibc.lightclients.tendermint.v1.ConsensusState",
    "ibc.lightclients.tendermint.v1.Header", "ibc.lightclients.tendermint.v1.Misbehaviour",
    "ibc.lightclients.solomachine.v3.ClientState", "ibc.lightclients.solomachine.v3.ConsensusState",
    "ibc.lightclients.solomachine.v3.Header", "ibc.lightclients.solomachine.v3.Misbehaviour",
    "cosmos.crypto.secp256k1.PubKey", "cosmos.crypto.ed25519.PubKey",
    "cosmos.crypto.multisig.LegacyAminoPubKey",
)  # fmt: skip


def cases(seed: int) -> Iterator[Case]:
    """Yield random transactions endlessly, signed as encoded by the account of `Chain`."""
    rng = Random(seed)  # noqa: S311  # cases are to be repeated, not secret
    names = [url[1:] for url in (*MESSAGES, _SEND)]
    grammar = Grammar(rng, _TEXTS, (*_STATES, *names))
    while True:
        body, auth = _usual(grammar, names) if rng.random() < 0.5 else _unusual(grammar, names)
        yield Case("c", (_signed(rng, body.SerializeToString(), auth.SerializeToString()),))


def _usual(grammar: Grammar, names: Sequence[str]) -> tuple[tx_pb2.TxBody, tx_pb2.AuthInfo]:
    """Return a valid transaction, except for later changes by `_signed`."""
    body = tx_pb2.TxBody(memo="memo")
    pay = MsgSend(from_address=_SIGNER, to_address=_RECEIVER)
    pay.amount.add(denom="stake", amount="1")
    body.messages.add(type_url=_SEND, value=pay.SerializeToString())
    if grammar.rng.random() < 0.4:
        packed = grammar.any_of(grammar.rng.choice(names), 3)
        body.non_critical_extension_options.add().CopyFrom(packed)
    return body, _auth_info()


def _unusual(grammar: Grammar, names: Sequence[str]) -> tuple[tx_pb2.TxBody, tx_pb2.AuthInfo]:
    """Return a transaction with random messages, options and signers."""
    rng = grammar.rng
    body = grammar.message(tx_pb2.TxBody) if rng.random() < 0.2 else tx_pb2.TxBody(memo="memo")
    if rng.random() < 0.95:
        del body.messages[:]
        for _ in range(rng.choice((1, 1, 1, 2))):
            body.messages.add().CopyFrom(grammar.any_of(rng.choice(names), 1))
    if rng.random() < 0.8:
        del body.extension_options[:]
    auth = _auth_info()
    if rng.random() < 0.2:
        auth.MergeFrom(grammar.message(tx_pb2.AuthInfo))
    return body, auth


def _auth_info() -> tx_pb2.AuthInfo:
    auth = tx_pb2.AuthInfo()
    info = auth.signer_infos.add()
    info.public_key.type_url = secp256k1.TYPE_URL
    info.public_key.value = PubKey(key=_KEY.public_key).SerializeToString()
    info.mode_info.single.mode = SIGN_MODE_DIRECT
    auth.fee.gas_limit = 2_000_000
    return auth


def _signed(rng: Random, body: bytes, auth: bytes) -> bytes:
    body, auth = _maybe_noisy(rng, body, 0.5), _maybe_noisy(rng, auth, 0.2)
    signature = _KEY.sign(sign_bytes(body, auth, CHAIN_ID, 0))
    return _maybe_noisy(rng, encode_tx(body, auth, [signature]), 0.1)


def _maybe_noisy(rng: Random, raw: bytes, chance: float) -> bytes:
    while rng.random() < chance:
        raw = noisy(rng, raw)
    return raw


class Chain:
    """This host with one account, as in the Go program."""

    def __init__(self) -> None:
        self.app = HostApp(HostConfig(CHAIN_ID, block_gas=_BLOCK_GAS), plugins(Config(strict_mempool=True)))
        self.app.init_chain(_NOW, funded([(_SIGNER, [coin("stake", 10**12)])]))
        self._next_block()

    def __call__(self, case: Case, theirs: Verdict) -> Verdict:
        """Return the result of CheckTx; a transaction that the Go side accepts is undone here as well."""
        told = self.app.check_tx(case.arguments[0])
        if not theirs.error or not told.code:
            self._forget(case.arguments[0])
        return Verdict(f"{told.codespace}/{told.code}" if told.code else "", told.log.encode())

    def _forget(self, raw: bytes) -> None:
        """Undo a transaction as the Go program does, by a block that resets the account.

        Heights stay equal.
        """
        if _takes_a_block(raw):
            self._next_block()
        else:
            self.app._check = None  # noqa: SLF001 - what CheckTx wrote, and nothing else

    def _next_block(self) -> None:
        self.app.finalize_block(_NOW, [])
        self.app.commit()


def _takes_a_block(raw: bytes) -> bool:
    try:
        tx = tx_pb2.TxRaw.FromString(raw)
        fee = tx_pb2.AuthInfo.FromString(tx.auth_info_bytes).fee
        return bool(fee.amount) or tx_pb2.TxBody.FromString(tx.body_bytes).unordered
    except DecodeError:
        return False
