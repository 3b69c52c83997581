"""Transactions that carry IBC messages and are wrong themselves: refused by code, nothing of IBC changes.

Most wrong transactions stand in `conformance/peers/tx_cases.py`, tried at the door and in a block.
"""

import pytest

from pyibc.codec.anys import AnyMessage
from pyibc.core.errors import InvalidPubKey, TxDecode, TxInMempool, TxTooLarge, UnauthorizedTx, WrongSequence
from pyibc.proto.cosmos.crypto.multisig import keys_pb2 as multisig_pb2
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.ibc.core.client.v1 import tx_pb2 as client_tx
from pyibc.proto.ibc.lightclients.solomachine.v3 import solomachine_pb2 as solo_pb2
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.transfers import transfer

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


def test_h44_somebody_elses_signature(signer):
    signer.refused(signer.sign(wallet=Wallet.from_seed("mallory", "cosmos")), InvalidPubKey)


def test_a_message_changed_after_signing(signer):
    raw = tx_pb2.TxRaw.FromString(signer.sign())
    raw.body_bytes = raw.body_bytes.replace(b"\x12\x015", b"\x12\x016")
    assert raw.SerializeToString() != signer.sign()
    signer.refused(raw.SerializeToString(), UnauthorizedTx)


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


def test_a_transaction_beyond_the_limit(signer):
    signer.refused(signer.sign(memo="m" * 1_100_000), TxTooLarge)


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
