"""Signer, sequence, gas and fee of transactions, and transactions that are not sent."""

import re
import threading
import zlib
from fractions import Fraction

import pytest

from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.crypto import secp256k1
from pyibc.core.errors import OutOfGas, WrongSequence
from pyibc.core.height import Height
from pyibc.core.host.block import TxOutcome
from pyibc.core.packet.messages import MsgRecvPacket
from pyibc.core.packet.types import Packet
from pyibc.core.wire.message import pack_msg
from pyibc.core.wire.tx import decode_tx, sign_bytes
from pyibc.proto.cosmos.auth.v1beta1 import auth_pb2, query_pb2
from pyibc.proto.cosmos.tx.v1beta1 import service_pb2
from pyibc.proto.google.protobuf.any_pb2 import Any
from pyibc.proto.pyibc.node.v1.query_pb2 import QueryEstimateGasRequest, QueryEstimateGasResponse
from pyibc.relayer.chain.grpc_query import UNKNOWN_BACKOFF
from pyibc.relayer.chain.simulation import CODESPACE, SIMULATE, Simulator
from pyibc.relayer.chain.values import Query
from pyibc.relayer.errors import AccountCannotSign, EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.links.outcomes import Action, action_of, rule_of
from pyibc.relayer.money.account import ACCOUNT, GasConfig
from pyibc.relayer.money.accounts import MAX_HEAVY, SKIPPED_TURNS, SigningAccounts
from pyibc.relayer.money.fees import LEAST, REFRESH_BLOCKS, GasPrice
from pyibc.relayer.money.refusals import NodeAccess
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.packets.packets import covered_packet
from pyibc.relayer.rpc.node_queries import ESTIMATE_GAS, GasEstimates
from tests.unit.pyibc.relayer.chain.test_failure_texts import FAILURES, OF_MESSAGE, SDKS

ONE, TWO = Wallet(b"\x01" * 32, "cosmos"), Wallet(b"\x02" * 32, "cosmos")
PRICE = GasPrice.parse("0.025stake")
GAS = GasConfig(price=PRICE, limit=10_000_000)
MESSAGE = AnyMessage("/a.B", b"c")
GAS_USED = " with gas used: '70000'"


def recv(sequence, data=b"{}", signer=ONE):
    packet = Packet(sequence, "transfer", "channel-3", "port-b", "channel-8", data, Height(7, 90), 0)
    return pack_msg(MsgRecvPacket(packet, b"proof", Height(1, 5), signer.address.text))


def base(wallet=ONE, sequence=9):
    return auth_pb2.BaseAccount(address=wallet.address.text, account_number=4, sequence=sequence)


def inside(raw, *more):
    """Return a message whose first field is `raw`."""
    assert len(raw) < 128
    return bytes((10, len(raw))) + raw + b"".join(more)


class FakeNode:
    """Node that accepts transactions in the order of their sequences."""

    def __init__(self, simulated=None):
        self.simulated = simulated  # gas, or a refusal's text
        self.sequences = {ONE.address.text: 9, TWO.address.text: 20}
        self.kind, self.wrap = "/cosmos.auth.v1beta1.BaseAccount", lambda raw: raw
        self.asked, self.sent, self.drafts = [], [], []
        self.refusals = []
        self.height, self.block_gas, self.asked_block_gas = 100, None, 0

    def max_gas(self):
        self.asked_block_gas += 1
        return self.block_gas

    def query(self, path, request):
        if path == ESTIMATE_GAS:
            raise EndpointRefused("c-1", path, "6 unknown query path")
        self.asked.append(path)
        if path == SIMULATE:
            self.drafts.append(decode_tx(service_pb2.SimulateRequest.FromString(request).tx_bytes))
            if isinstance(self.simulated, int):
                answer = service_pb2.SimulateResponse()
                answer.gas_info.gas_used = self.simulated
                return answer.SerializeToString()
            raise EndpointRefused("c-1", path, self.simulated or "6 unknown query path")
        assert path == ACCOUNT
        address = query_pb2.QueryAccountRequest.FromString(request).address
        found = auth_pb2.BaseAccount(address=address, account_number=4, sequence=self.sequences[address])
        response = query_pb2.QueryAccountResponse()
        response.account.type_url, response.account.value = self.kind, self.wrap(found.SerializeToString())
        return response.SerializeToString()

    def broadcast(self, raw):
        tx = decode_tx(raw)
        if self.refusals:
            answer = self.refusals.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        self.sent.append(tx)
        return TxOutcome(raw, 0, "", (), 0, 0)

    @property
    def node(self):
        return NodeAccess(Query(self.query), self.broadcast, self.height, max_gas=self.max_gas)

    def gas(self):
        return [tx.fee.gas_limit for tx in self.sent]


def accounts(gas=GAS, wallets=(ONE,), book=None):
    return SigningAccounts(wallets, "c-1", gas, book, simulator=Simulator(GasEstimates()))


def outcome(code=0, codespace="", log="", gas_used=7):
    return TxOutcome(b"", code, codespace, (), 0, gas_used, log=log)


OUT_OF_GAS = outcome(OutOfGas.code, OutOfGas.codespace, "out of gas")

# -- gas


def test_h152_gas_is_what_the_chain_simulates_times_a_decimal():
    node = FakeNode(simulated=100_001)
    sent = accounts(GAS._replace(multiplier=Fraction("1.3"))).broadcast([MESSAGE], node.node)
    assert sent.refusal is None
    assert node.gas() == [130_002]  # rounded up
    assert node.sent[0].fee.amount == (coin("stake", 3251),)
    draft = node.drafts[0]
    assert (draft.signer_infos[0].sequence, draft.fee.amount) == (9, (coin("stake", 1),))


def test_h152_what_is_simulated_cannot_be_broadcast():
    """Otherwise a node could broadcast it, and consume the sequence and a fee that no ledger has."""
    node = FakeNode(simulated=100_000)
    accounts().broadcast([MESSAGE], node.node)
    draft, sent = node.drafts[0], node.sent[0]
    assert (draft.signatures, draft.body_bytes) == ((bytes(64),), sent.body_bytes)
    document = sign_bytes(sent.body_bytes, sent.auth_info_bytes, "c-1", 4)
    assert secp256k1.verify(ONE.public_key, document, sent.signatures[0])


def test_h152_where_a_chain_does_not_simulate_gas_is_estimated():
    dear = f"got: 1stake required: 9stake: insufficient fee{GAS_USED}"
    for simulated in (None, 0, "unknown service cosmos.tx.v1beta1.Service", dear):
        node = FakeNode(simulated)
        accounts().broadcast([MESSAGE, MESSAGE], node.node)
        assert node.gas() == [1_800_000]
    node = FakeNode(simulated=5)
    accounts(GAS._replace(simulate=False)).broadcast([MESSAGE], node.node)
    assert (node.gas(), node.drafts) == ([1_400_000], [])


def test_h152_what_would_fail_is_not_sent_nor_paid():
    node = FakeNode(f"18 packet timed out: invalid packet{GAS_USED}: invalid request")
    ours = accounts()
    sent = ours.broadcast([MESSAGE], node.node)
    assert node.sent == []
    assert (sent.refusal.codespace, sent.refusal.code) == (CODESPACE, 1)
    assert "packet timed out" in sent.refusal.log
    node.simulated = 50_000
    ours.broadcast([MESSAGE], node.node)
    assert [tx.signer_infos[0].sequence for tx in node.sent] == [9]


@pytest.mark.parametrize(("text", "_kind"), FAILURES)
def test_h152_no_words_of_a_contract_are_taken_for_the_chain_s(text, _kind):
    """Otherwise the sender of one packet could stop a path, or let the relayer use a wrong sequence."""
    said = f"failed to execute message; message index: 1: {text}{GAS_USED}: execute wasm failed{GAS_USED}"
    node, ours = FakeNode(said), accounts()
    refusal = ours.broadcast([MESSAGE], node.node).refusal
    assert (refusal.codespace, refusal.code) == (CODESPACE, 1)
    assert rule_of(refusal).action is Action.SKIP_PACKET
    node.simulated = None
    ours.broadcast([MESSAGE], node.node)
    assert node.sent[0].signer_infos[0].sequence == 9


def test_a_simulation_shows_nothing_while_others_are_in_flight():
    """The transaction may depend on one that no block includes yet, for example a client update."""
    node = FakeNode(100_000)
    ours = accounts()
    first = ours.broadcast([MESSAGE], node.node)
    node.simulated = f"no consensus state{GAS_USED}"
    assert ours.broadcast([MESSAGE], node.node).refusal is None
    assert node.gas() == [120_000, 1_400_000]
    for sent in (first, first):
        ours.done(sent, outcome())
    assert ours.broadcast([MESSAGE], node.node).refusal is not None


def test_h152_after_running_out_of_gas_the_next_try_has_more():
    node = FakeNode()
    ours = accounts(GAS._replace(limit=5_000_000))
    for _ in range(3):
        ours.done(ours.broadcast([recv(5)], node.node), OUT_OF_GAS)
    assert node.gas() == [1_400_000, 2_800_000, 5_000_000]  # bounded
    refused = ours.broadcast([recv(5, b"{} ")], node.node).refusal
    assert refused is not None
    assert (refused.codespace, refused.code, len(node.sent)) == ("sdk", 11, 3)  # never again in vain
    assert "not sent" in refused.log
    ours.done(ours.broadcast([recv(6)], node.node), outcome())
    assert node.gas()[3:] == [1_400_000]  # others are not affected


def test_h152_what_succeeds_has_its_own_gas_again():
    node = FakeNode(100_000)
    ours = accounts()
    ours.done(ours.broadcast([recv(5), recv(6)], node.node), OUT_OF_GAS)
    ours.done(ours.broadcast([recv(5)], node.node), outcome())
    ours.done(ours.broadcast([recv(5)], node.node), outcome())
    ours.done(ours.broadcast([recv(6)], node.node), outcome())
    assert node.gas() == [120_000, 240_000, 120_000, 240_000]


def test_at_the_maximum_fewer_messages_have_more_gas_each_without_doubling():
    node = FakeNode(2_000_000)
    ours = accounts(GAS._replace(limit=2_000_000))
    ours.done(ours.broadcast([recv(5), recv(6)], node.node), OUT_OF_GAS)
    node.simulated = 100_000
    ours.done(ours.broadcast([recv(5)], node.node), outcome())
    assert node.gas() == [2_000_000, 120_000]


def test_h152_more_than_a_transaction_may_have_is_not_sent():
    node = FakeNode(10_000_001)
    refusal = accounts().broadcast([MESSAGE], node.node).refusal
    assert (refusal.codespace, refusal.code, node.sent) == ("sdk", 11, [])
    node.simulated = 10_000_000
    accounts().broadcast([MESSAGE], node.node)
    assert node.gas() == [10_000_000]


@pytest.mark.parametrize(("block_gas", "limit"), [(3_000_000, 3_000_000), (20_000_000, 10_000_000)])
def test_no_transaction_has_more_gas_than_a_block_of_the_chain(block_gas, limit):
    node, ours = FakeNode(limit - 1), accounts()
    node.block_gas = block_gas
    ours.broadcast([MESSAGE], node.node)
    assert (node.gas(), node.drafts[0].fee.gas_limit) == ([limit], limit)
    node.simulated = limit + 1
    refusal = ours.broadcast([MESSAGE], node.node).refusal
    assert (refusal.code, refusal.log) == (
        OutOfGas.code,
        f"not sent: it needs more than the gas limit of {limit} per transaction",
    )
    estimated = FakeNode()
    estimated.block_gas = block_gas
    accounts().broadcast([MESSAGE] * 50, estimated.node)
    assert estimated.gas() == [limit]


@pytest.mark.parametrize("block_gas", [None, 0, 1, LEAST - 1])
def test_a_maximum_that_no_chain_has_is_not_believed(block_gas):
    """A node that tells it would otherwise stop a direction."""
    node, ours = FakeNode(5_000_000), accounts()
    node.block_gas = block_gas
    assert ours.broadcast([MESSAGE], node.node).refusal is None
    assert node.gas() == [6_000_000]


def test_the_chain_s_maximum_is_queried_again_after_some_blocks_and_what_was_too_heavy_is_tried_again():
    node, ours = FakeNode(), accounts()
    node.block_gas = 1_400_000
    ours.done(ours.broadcast([recv(5)], node.node), OUT_OF_GAS)
    assert ours.broadcast([recv(5)], node.node).refusal.code == OutOfGas.code
    node.block_gas = 8_000_000
    ours.broadcast([recv(6)], node.node)
    assert node.asked_block_gas == 1
    node.height += REFRESH_BLOCKS
    ours.broadcast([recv(7)], node.node)
    assert node.asked_block_gas == 2
    assert ours.broadcast([recv(5)], node.node).refusal is None


@pytest.mark.parametrize(
    "refusal", [outcome(41, "sdk", "tx gas limit 9 exceeds block max gas 8"), outcome(21, "sdk", "too large")]
)
def test_a_refusal_for_size_lets_the_maximum_be_queried_again(refusal):
    node, ours = FakeNode(), accounts()
    ours.broadcast([MESSAGE], node.node)
    node.refusals, node.block_gas = [refusal], 1_200_000
    ours.broadcast([MESSAGE], node.node)
    ours.broadcast([MESSAGE], node.node)
    assert node.gas() == [1_400_000, 1_200_000]
    node.simulated = f"tx gas limit 9 exceeds block max gas 8: invalid gas limit{GAS_USED}"
    assert action_of(accounts().broadcast([MESSAGE], node.node).refusal) is Action.SHRINK


def test_what_ran_out_of_gas_is_forgotten_after_so_many_others():
    node, ours = FakeNode(), accounts(GAS._replace(limit=10**12))
    batch = [recv(number) for number in range(1, MAX_HEAVY + 2)]
    ours.done(ours.broadcast(batch, node.node), OUT_OF_GAS)
    assert len(ours._heavy) == MAX_HEAVY


# -- sequences


def test_memo_and_granter():
    node = FakeNode()
    accounts(GAS._replace(memo="relayed by us", granter=TWO.address.text)).broadcast([MESSAGE], node.node)
    assert (node.sent[0].memo, node.sent[0].fee.granter) == ("relayed by us", TWO.address.text)


def test_several_in_flight_have_sequences_in_a_row_without_asking_again():
    node, ours = FakeNode(), accounts()
    for _ in range(3):
        ours.broadcast([MESSAGE], node.node)
    assert [tx.signer_infos[0].sequence for tx in node.sent] == [9, 10, 11]
    assert node.asked.count(ACCOUNT) == 1


def mismatch(expected, got):
    error = WrongSequence(expected, got)
    return outcome(error.code, error.codespace, str(error))


@pytest.mark.parametrize(
    ("expected", "next_one", "questions"),
    [(12, 12, 1), (7, 9, 2)],  # ahead: others of ours that it holds; behind: it lags, or they are lost
)
def test_a_wrong_sequence(expected, next_one, questions):
    node, ours = FakeNode(), accounts()
    node.refusals = [mismatch(expected, 9)]
    assert ours.broadcast([MESSAGE], node.node).refusal.code == 32
    ours.broadcast([MESSAGE], node.node)
    assert node.sent[0].signer_infos[0].sequence == next_one
    assert node.asked.count(ACCOUNT) == questions


@pytest.mark.parametrize("added", SDKS)
def test_a_wrong_sequence_that_the_simulation_shows(added):
    node, ours = FakeNode(added(str(WrongSequence(12, 9)))), accounts()
    refusal = ours.broadcast([MESSAGE], node.node).refusal
    assert (refusal.codespace, refusal.code) == ("sdk", 32)
    node.simulated = None
    ours.broadcast([MESSAGE], node.node)
    assert node.sent[0].signer_infos[0].sequence == 12


@pytest.mark.parametrize("shown", ["an error that no table has", OF_MESSAGE + "odd: execute wasm failed"])
def test_an_account_is_asked_for_again_after_a_simulation_that_it_may_have_failed(shown):
    node, ours = FakeNode(shown + GAS_USED), accounts()
    assert ours.broadcast([MESSAGE], node.node).refusal.codespace == CODESPACE
    node.simulated, node.sequences[ONE.address.text] = None, 12
    ours.broadcast([MESSAGE], node.node)
    assert node.sent[0].signer_infos[0].sequence == 12


@pytest.mark.parametrize(
    ("code", "log"),
    [(3, "invalid sequence"), (4, "signature verification failed; please verify account number (4)")],
)
def test_an_account_is_asked_for_again_after_a_refusal_that_it_may_have_caused(code, log):
    node, ours = FakeNode(), accounts()
    node.refusals = [outcome(code, "sdk", log)]
    assert ours.broadcast([MESSAGE], node.node).refusal.code == code
    node.sequences[ONE.address.text] = 12
    ours.broadcast([MESSAGE], node.node)
    assert node.sent[0].signer_infos[0].sequence == 12


def test_a_refusal_consumes_no_sequence_and_a_lost_one_is_asked_about():
    node, ours = FakeNode(), accounts()
    node.refusals = [outcome(13, "sdk", "insufficient fee"), EndpointUnavailable("c-1", "gone")]
    assert ours.broadcast([MESSAGE], node.node).refusal.code == 13
    with pytest.raises(EndpointUnavailable):
        ours.broadcast([MESSAGE], node.node)
    node.sequences[ONE.address.text] = 10
    sent = ours.broadcast([MESSAGE], node.node)
    assert [tx.signer_infos[0].sequence for tx in node.sent] == [10]
    ours.done(sent, None)
    ours.broadcast([MESSAGE], node.node)
    assert node.asked.count(ACCOUNT) == 3


def test_threads_share_an_account():
    node, ours = FakeNode(), accounts(GAS._replace(simulate=False), (ONE, TWO))
    started = threading.Barrier(8)

    def work():
        started.wait()
        for number in range(1, 26):
            ours.done(ours.broadcast([recv(number)], node.node), outcome())

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    by_account = {}
    for tx in node.sent:
        signer = re.search(rb"cosmos1\w{38}", tx.messages[0].value)[0].decode()
        by_account.setdefault(signer, []).append(tx.signer_infos[0].sequence)
    assert by_account == {
        ONE.address.text: list(range(9, 109)),
        TWO.address.text: list(range(20, 120)),
    }
    assert ours._in_flight == 0


# -- several accounts


def test_accounts_take_turns_with_what_is_anybody_s():
    node, ours = FakeNode(), accounts(wallets=(ONE, TWO))
    assert ours.address == ONE.address.text
    for sequence in (5, 6, 7):
        ours.broadcast([recv(sequence)], node.node)
    ours.broadcast([recv(8), MESSAGE], node.node)  # only the first may send this
    ours.broadcast([recv(9)], node.node)
    signers = [TWO if TWO.address.text.encode() in tx.messages[0].value else ONE for tx in node.sent]
    assert signers == [ONE, TWO, ONE, ONE, TWO]
    assert node.sent[1].messages == (recv(6, signer=TWO),)  # to the byte, but for the signer
    assert covered_packet(node.sent[1].messages[0]) == ("transfer/channel-3>port-b/channel-8", 6)


@pytest.mark.parametrize("wallets", [(), (ONE, ONE)])
def test_no_account_or_one_twice(wallets):
    with pytest.raises(ValueError, match="no key, or the same key twice"):
        accounts(wallets=wallets)


# -- types of accounts

TYPES = {
    "/cosmos.vesting.v1beta1.BaseVestingAccount": 1,
    "/cosmos.vesting.v1beta1.ContinuousVestingAccount": 2,
    "/cosmos.vesting.v1beta1.DelayedVestingAccount": 2,
    "/cosmos.vesting.v1beta1.PeriodicVestingAccount": 2,
    "/cosmos.vesting.v1beta1.PermanentLockedAccount": 2,
    "/ethermint.types.v1.EthAccount": 1,
    "/injective.types.v1beta1.EthAccount": 1,
}


@pytest.mark.parametrize("kind", TYPES)
def test_h151_accounts_with_a_base_account_inside(kind):
    node = FakeNode()
    node.kind = kind
    more = bytes((18, 3)) + b"\xff\x01\x02"  # a code hash, or coins: no text and no Any

    def wrap(raw):
        for _ in range(TYPES[kind]):
            raw = inside(raw, more)
        return raw

    node.wrap = wrap
    accounts().broadcast([MESSAGE], node.node)
    assert node.sent[0].signer_infos[0].sequence == 9


@pytest.mark.parametrize(
    "kind",
    ["/cosmos.auth.v1beta1.ModuleAccount", "/ibc.applications.interchain_accounts.v1.InterchainAccount"],
)
def test_h151_a_module_signs_nothing(kind):
    node = FakeNode()
    node.kind, node.wrap = kind, inside
    with pytest.raises(AccountCannotSign, match="belongs to a module and has no key") as caught:
        accounts().broadcast([MESSAGE], node.node)
    assert (caught.value.address, node.sent) == (ONE.address.text, [])


@pytest.mark.parametrize(
    "raw", [b"", b"\xff", inside(b"\xff\xff"), inside(inside(inside(base().SerializeToString())))]
)
def test_h151_no_base_account_inside(raw):
    node = FakeNode()
    node.kind, node.wrap = "/x.Odd", lambda _: raw
    with pytest.raises(AccountCannotSign, match=r"type '/x\.Odd' has no BaseAccount"):
        accounts().broadcast([MESSAGE], node.node)


def profile(kind, raw):
    """A profile of Desmos: its account as an Any, a tag, a nickname."""
    packed = Any(type_url=kind, value=raw).SerializeToString()
    return inside(packed, bytes((18, 2)) + b"me" + bytes((26, 1)) + b"I")


@pytest.mark.parametrize(
    ("kind", "wrap"),
    [("/cosmos.auth.v1beta1.BaseAccount", bytes), ("/cosmos.vesting.v1beta1.BaseVestingAccount", inside)],
)
def test_an_account_in_a_profile_of_desmos(kind, wrap):
    node = FakeNode()
    node.kind, node.wrap = "/desmos.profiles.v3.Profile", lambda raw: profile(kind, wrap(raw))
    accounts().broadcast([MESSAGE], node.node)
    assert node.sent[0].signer_infos[0].sequence == 9


def test_a_module_in_a_profile_signs_nothing():
    node = FakeNode()
    node.kind = "/desmos.profiles.v3.Profile"
    node.wrap = lambda raw: profile("/cosmos.auth.v1beta1.ModuleAccount", inside(raw))
    with pytest.raises(AccountCannotSign, match="belongs to a module and has no key"):
        accounts().broadcast([MESSAGE], node.node)
    assert node.sent == []


def test_h151_an_account_of_somebody_else_inside():
    node = FakeNode()
    node.wrap = lambda _: inside(base(TWO).SerializeToString())
    with pytest.raises(EndpointRefused, match="the response is for account"):
        accounts().broadcast([MESSAGE], node.node)


def test_what_is_no_account_at_all():
    node = FakeNode()
    with pytest.raises(MalformedAnswer):
        accounts().broadcast([MESSAGE], NodeAccess(Query(lambda *_: b"\xff"), node.broadcast, 1))
    assert node.sent == []


def test_h155_a_packet_that_costs_too_much_is_not_sent():
    node = FakeNode(1_000_000)
    dear = GAS._replace(multiplier=Fraction(1), max_fee=15_000)  # a fee of 25,000
    ours = accounts(dear)
    refusal = ours.broadcast([recv(5), MESSAGE], node.node).refusal
    assert refusal is not None
    assert action_of(refusal) is Action.HOLD
    assert refusal.gas_wanted == 1_000_000
    assert (refusal.log, node.sent) == (
        "not sent: fee 25000 for 1 packets, above the limit of 15000 per packet",
        [],
    )
    assert ours.broadcast([recv(5), recv(6)], node.node).refusal is None  # 12,500 each
    assert ours.broadcast([MESSAGE], node.node).refusal is None  # serves no packet: not limited
    assert [tx.signer_infos[0].sequence for tx in node.sent] == [9, 10]


UNFUNDED = TxOutcome(b"", 5, "sdk", (), 0, 0, log="insufficient funds")


def test_h188_an_account_that_cannot_pay_holds_up_none_of_the_others():
    node = FakeNode(100_000)
    ours = accounts(wallets=(ONE, TWO))
    node.refusals = [UNFUNDED]
    assert ours.broadcast([recv(1)], node.node).refusal is None
    for sequence in range(2, SKIPPED_TURNS + 2):
        assert ours.broadcast([recv(sequence)], node.node).refusal is None
    assert {tx.signer_infos[0].sequence for tx in node.sent} == set(range(20, 20 + SKIPPED_TURNS + 1))
    assert ours.broadcast([recv(90)], node.node).refusal is None
    assert node.sent[-1].signer_infos[0].sequence == 9  # somebody has paid: it has its turns again
    node.refusals = [UNFUNDED, UNFUNDED]
    refusal = ours.broadcast([recv(91)], node.node).refusal
    assert refusal is not None
    assert action_of(refusal) is Action.ACCOUNT  # of all of them


def test_h188_an_account_that_the_chain_does_not_know_holds_up_none_of_the_others():
    node = FakeNode(100_000)
    del node.sequences[ONE.address.text]

    def query(path, request):
        try:
            return node.query(path, request)
        except KeyError as error:
            raise EndpointRefused("c-1", path, "22 account not found") from error

    ours = accounts(wallets=(ONE, TWO))
    asked = NodeAccess(Query(query), node.broadcast, 100)
    for sequence in range(3):
        assert ours.broadcast([recv(sequence)], asked).refusal is None
    assert [tx.signer_infos[0].sequence for tx in node.sent] == [20, 21, 22]
    with pytest.raises(EndpointRefused, match="not found"):
        ours.broadcast([MESSAGE], asked)  # what the first account alone may send


def test_what_is_offered_is_the_price_of_the_moment_and_the_limit():
    offer = accounts(GAS._replace(max_fee=250)).offer(Query(FakeNode().query))
    assert (offer.price, offer.max_fee) == (PRICE, 250)
    assert [offer.affords(gas) for gas in (10_000, 10_001)] == [True, False]
    assert [offer.allows(20_000, packets) for packets in (0, 1, 2)] == [True, False, True]
    assert accounts().offer(Query(FakeNode().query)).affords(10**12)


class Short(FakeNode):
    """Node that returns only gas."""

    def query(self, path, request):
        if path != ESTIMATE_GAS:
            return super().query(path, request)
        self.asked.append(path)
        raw = zlib.decompress(QueryEstimateGasRequest.FromString(request).deflated_tx)
        self.drafts.append(decode_tx(raw))
        if isinstance(self.simulated, int):
            return QueryEstimateGasResponse(gas_used=self.simulated).SerializeToString()
        raise EndpointRefused("c-1", path, self.simulated)


def test_gas_alone_is_asked_for_first():
    node = Short(simulated=1_000)
    accounts().broadcast([MESSAGE], node.node)
    assert node.asked.count(ESTIMATE_GAS) == 1
    assert SIMULATE not in node.asked
    assert len(node.drafts) == 1
    assert node.gas() == [1_200]


def test_a_refusal_of_what_would_fail_is_no_refusal_of_the_question():
    node = Short(simulated="6 rpc error: channel/13 poison with gas used: '5'")
    sent = accounts().broadcast([MESSAGE], node.node)
    assert (sent.refusal.codespace, SIMULATE in node.asked) == (CODESPACE, False)


@pytest.mark.parametrize("simulated", [0, "6 unknown query path", "6 out of gas in location: ReadFlat"])
def test_who_does_not_tell_gas_alone_is_asked_for_all_and_in_this_way_after_a_thousand_times(simulated):
    node, one = Short(simulated=simulated), accounts()
    for _ in range(UNKNOWN_BACKOFF + 1):
        one.broadcast([MESSAGE], node.node)
    assert (node.asked.count(ESTIMATE_GAS), node.asked.count(SIMULATE)) == (1, UNKNOWN_BACKOFF + 1)
    one.broadcast([MESSAGE], node.node)
    assert node.asked.count(ESTIMATE_GAS) == 2
