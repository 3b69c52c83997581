"""Transactions that carry IBC messages and are wrong themselves: refused by code, nothing of IBC changes."""

import pytest

from ibc_core.any_message import AnyMessage
from ibc_core.coin import coin
from ibc_core.errors import (
    InsufficientFee,
    InvalidPubKey,
    InvalidSdkRequest,
    MemoTooLarge,
    NoSignatures,
    OutOfGas,
    TxDecode,
    TxInMempool,
    TxTimeoutHeight,
    TxTooLarge,
    UnauthorizedTx,
    UnknownAccount,
    WrongSequence,
)
from ibc_core.errors.sdk import InsufficientBalance
from ibc_proto.cosmos.crypto.multisig import keys_pb2 as multisig_pb2
from ibc_proto.cosmos.tx.v1beta1 import tx_pb2
from ibc_proto.google.protobuf import any_pb2
from ibc_proto.ibc.core.client.v1 import tx_pb2 as client_tx
from ibc_proto.ibc.lightclients.solomachine.v3 import solomachine_pb2 as solo_pb2
from ibc_relayer.wallet import Wallet
from ibc_testing.transfers import transfer
from localnet.chain import LocalChain
from localnet.genesis import Genesis, funded
from localnet.host.bank_send import MSG_SEND, encode_send
from localnet.host.config import GasPrices, HostConfig

GAS = 2_000_000


class Signer:
    """Alice's transactions of one transfer, right but for what a test changes."""

    def __init__(self, net):
        self.net = net
        self.chain = net.a.chain
        self.wallet = net.a.users["alice"]
        self.message = transfer(net.a, "alice", net.path.a, "uatom", 5, net.b.address("bob"))

    def sign(self, wallet=None, messages=None, **changes):
        wallet = wallet or self.wallet
        account = self.chain.app.pending_account(self.wallet.address.raw)
        fields = {
            "chain_id": self.chain.chain_id,
            "account_number": account.number,
            "sequence": account.sequence,
            "gas_limit": GAS,
        }
        return wallet.sign_tx(messages or [self.message], **(fields | changes))

    def refused(self, raw, error):
        """In a block and at the mempool's door; the IBC stores stay as they were."""
        roots = self.roots()
        assert (self.chain.submit(raw).codespace, self.chain.submit(raw).code) == (
            error.codespace,
            error.code,
        )
        (outcome,) = self.chain.make_block([raw]).txs
        assert (outcome.codespace, outcome.code) == (error.codespace, error.code)
        assert {kind for kind, _ in outcome.events} <= {"tx"}
        assert self.roots() == roots
        assert self.net.a.balance("alice", "uatom") == 10**12

    def roots(self):
        return [self.chain.app.store.root(name) for name in ("ibc", "transfer")]


@pytest.fixture
def signer(net):
    return Signer(net)


def test_the_transaction_is_good(signer):
    (outcome,) = signer.chain.make_block([signer.sign()]).txs
    assert outcome.code == 0


WRONG = [
    ("another chain's signature", {"chain_id": "chain-b-1"}, UnauthorizedTx),
    ("another account's number", {"account_number": 99}, UnauthorizedTx),
    ("a sequence too low", {"sequence": 0}, None),
    ("a sequence too high", {"sequence": 7}, WrongSequence),
    ("no gas", {"gas_limit": 0}, OutOfGas),
    ("gas beyond int64", {"gas_limit": 2**63}, InvalidSdkRequest),
    ("a fee that is not there", {"fee": (coin("uatom", 10**13),)}, InsufficientBalance),
    ("a fee of nothing", {"fee": (coin("stake", 0),)}, InsufficientFee),
    ("fees out of order", {"fee": (coin("uatom", 1), coin("stake", 1))}, InsufficientFee),
    ("a height that has passed", {"timeout_height": 1}, TxTimeoutHeight),
]


@pytest.mark.parametrize(("name", "changes", "error"), WRONG, ids=[row[0] for row in WRONG])
def test_fields(signer, name, changes, error):
    if error is None:  # a sequence that was used: one transaction goes first
        signer.chain.make_block([signer.sign(messages=[bank_send(signer)])])
        error = WrongSequence
    signer.refused(signer.sign(**changes), error)


def bank_send(signer):
    from localnet.host.bank_send import MSG_SEND, encode_send

    net = signer.net
    return AnyMessage(
        MSG_SEND, encode_send(net.a.address("alice"), net.a.address("bob"), (coin("stake", 1),))
    )


def test_h44_somebody_elses_signature(signer):
    signer.refused(signer.sign(wallet=Wallet.from_seed("mallory", "cosmos")), InvalidPubKey)


def test_an_account_that_is_not_there(signer):
    mallory = Wallet.from_seed("mallory", "cosmos")
    message = signer.message
    wire = type(message)(
        message.type_url,
        message.value.replace(signer.wallet.address.text.encode(), mallory.address.text.encode()),
    )
    signer.refused(signer.sign(wallet=mallory, messages=[wire]), UnknownAccount)


def test_a_flipped_bit_in_the_signature(signer):
    raw = tx_pb2.TxRaw.FromString(signer.sign())
    first = bytearray(raw.signatures[0])
    first[5] ^= 1
    raw.signatures[0] = bytes(first)
    signer.refused(raw.SerializeToString(), UnauthorizedTx)


def test_no_signature(signer):
    raw = tx_pb2.TxRaw.FromString(signer.sign())
    del raw.signatures[:]
    signer.refused(raw.SerializeToString(), NoSignatures)


def test_a_message_changed_after_signing(signer):
    raw = tx_pb2.TxRaw.FromString(signer.sign())
    raw.body_bytes = raw.body_bytes.replace(b"\x12\x015", b"\x12\x016")
    assert raw.SerializeToString() != signer.sign()
    signer.refused(raw.SerializeToString(), UnauthorizedTx)


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (lambda raw: raw[:-1], TxDecode),
        (lambda raw: raw + b"\x00", TxDecode),
        (lambda raw: b"", InvalidSdkRequest),  # read, and without a message
        (lambda raw: b"\xff" * 40, TxDecode),
    ],
    ids=["cut", "with a tail", "empty", "garbage"],
)
def test_bytes_that_are_no_transaction(signer, spoil, error):
    signer.refused(spoil(signer.sign()), error)


def nested(levels):
    """A solo machine whose key is a threshold key of a threshold key of ... one key."""
    key = any_pb2.Any(type_url="/cosmos.crypto.secp256k1.PubKey", value=b"\x0a\x01k")
    for _ in range(levels):
        threshold = multisig_pb2.LegacyAminoPubKey(threshold=1, public_keys=[key])
        key = any_pb2.Any(
            type_url="/cosmos.crypto.multisig.LegacyAminoPubKey", value=threshold.SerializeToString()
        )
    state = solo_pb2.ClientState(sequence=1, consensus_state=solo_pb2.ConsensusState(public_key=key))
    return any_pb2.Any(
        type_url="/ibc.lightclients.solomachine.v3.ClientState", value=state.SerializeToString()
    )


@pytest.mark.parametrize("levels", [10, 1_000])
def test_anys_inside_anys(signer, levels):
    create = client_tx.MsgCreateClient(client_state=nested(levels), signer=signer.wallet.address.text)
    raw = create.SerializeToString()
    message = AnyMessage("/ibc.core.client.v1.MsgCreateClient", raw)
    signer.refused(signer.sign(messages=[message]), TxDecode)


def test_an_unknown_field_in_a_message(signer):
    spoilt = AnyMessage(signer.message.type_url, signer.message.value + b"\xf8\x07\x01")
    signer.refused(signer.sign(messages=[spoilt]), TxDecode)


def test_a_message_that_nobody_handles(signer):
    signer.refused(signer.sign(messages=[AnyMessage("/nobody.Msg", b"")]), TxDecode)


def test_a_transaction_beyond_the_limit(signer):
    signer.refused(signer.sign(memo="m" * 1_100_000), TxTooLarge)


def test_gas_that_does_not_suffice_keeps_the_fee_and_nothing_else(signer):
    raw = signer.sign(gas_limit=60_000, fee=(coin("stake", 7),))
    roots, before = signer.roots(), signer.net.a.balance("alice", "stake")
    (outcome,) = signer.chain.make_block([raw]).txs
    assert (outcome.codespace, outcome.code) == (OutOfGas.codespace, OutOfGas.code)
    assert signer.roots() == roots
    assert signer.net.a.balance("alice", "stake") == before - 7
    assert signer.net.a.balance("alice", "uatom") == 10**12


def test_a_memo_beyond_the_limit(signer):
    signer.refused(signer.sign(memo="m" * 257), MemoTooLarge)


def test_more_signatures_than_signers(signer):
    raw = tx_pb2.TxRaw.FromString(signer.sign())
    raw.signatures.extend([raw.signatures[0]] * 7)
    signer.refused(raw.SerializeToString(), UnauthorizedTx)


def test_a_transaction_that_waits_already(signer):
    raw = signer.sign()
    assert signer.chain.submit(raw).code == 0
    again = signer.chain.submit(raw)
    assert (again.codespace, again.code) == (TxInMempool.codespace, TxInMempool.code)
    assert [outcome.tx for outcome in signer.chain.make_block().txs] == [raw]


def test_the_same_transaction_twice(signer):
    raw = signer.sign()
    first, second = signer.chain.make_block([raw, raw]).txs
    assert first.code == 0
    assert (second.codespace, second.code) == (WrongSequence.codespace, WrongSequence.code)


def test_the_least_price_is_asked_for_at_the_door():
    alice = Wallet.from_seed("alice", "cosmos")
    config = HostConfig("priced-1", gas=GasPrices(micro=1_000_000))
    state = funded([(alice.address.text, [coin("stake", 10**12)])])
    chain = LocalChain("priced-1", config=config, genesis=Genesis(state))
    message = AnyMessage(MSG_SEND, encode_send(alice.address.text, alice.address.text, (coin("stake", 1),)))
    fields = {"chain_id": "priced-1", "account_number": 0, "sequence": 0, "gas_limit": 100_000}
    cheap = chain.submit(alice.sign_tx([message], fee=(coin("stake", 99_999),), **fields))
    assert (cheap.codespace, cheap.code) == (InsufficientFee.codespace, InsufficientFee.code)
    assert chain.submit(alice.sign_tx([message], fee=(coin("stake", 100_000),), **fields)).code == 0
    chain.close()
