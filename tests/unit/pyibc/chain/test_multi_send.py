"""MsgMultiSend: one gives, several receive, nothing is made or lost."""

import pytest

from pyibc.chain.bank.send import MSG_MULTI_SEND
from pyibc.chain.config import module_address
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.errors import InputOutputMismatch, MultipleSenders, NoInputs, NoOutputs
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgMultiSend
from pyibc.relayer.money.wallet import Wallet

CAROL = Wallet.from_seed("carol", "cosmos").address.text


def message(inputs, outputs):
    built = MsgMultiSend()
    for entries, side in ((inputs, built.inputs), (outputs, built.outputs)):
        for address, coins in entries:
            entry = side.add(address=address)
            for amount, denom in coins:
                entry.coins.add(denom=denom, amount=str(amount))
    return AnyMessage(MSG_MULTI_SEND, built.SerializeToString())


@pytest.fixture
def run(chain, sign, alice):
    def deliver(inputs, outputs):
        sequence = chain.app.pending_account(alice.address.raw).sequence
        return chain.make_block([sign([message(inputs, outputs)], sequence=sequence)]).txs[0]

    return deliver


def held(chain, address, denom="stake"):
    return chain.app.bank.balance(
        chain.app.query_context(), chain.app.addresses.decode(address, "a").raw, denom
    )


def test_coins_reach_everybody(chain, run, alice, bob):
    outcome = run(
        [(alice.address.text, [(10, "stake")])],
        [(bob.address.text, [(4, "stake")]), (CAROL, [(5, "stake")]), (CAROL, [(1, "stake")])],
    )
    assert outcome.code == 0
    assert [held(chain, each) for each in (alice.address.text, bob.address.text, CAROL)] == [10**9 - 10, 4, 6]
    of_bank = ("coin_spent", "coin_received", "transfer")
    kinds = [kind for kind, _ in outcome.events if kind in of_bank]
    assert kinds == ["coin_spent", *["coin_received", "transfer"] * 3]
    senders = [dict(pairs)["sender"] for kind, pairs in outcome.events if kind == "transfer"]
    assert senders == [alice.address.text] * 3
    ctx = chain.app.query_context()
    assert sum(amount for _, _, amount in chain.app.bank.all_balances(ctx)) == chain.app.bank.supply(
        ctx, "stake"
    )


COLLECTOR = "the fee collector"
REFUSALS = {InputOutputMismatch: 4, MultipleSenders: 9, NoInputs: 2, NoOutputs: 3}
"""The SDK's codes."""


def key(error):
    return "bank", REFUSALS[error]


CASES = {
    "sums differ": ([("alice", [(10, "stake")])], [("bob", [(9, "stake")])], *key(InputOutputMismatch)),
    "other coins": ([("alice", [(10, "stake")])], [("bob", [(10, "atom")])], *key(InputOutputMismatch)),
    "two inputs": ([("alice", [(5, "stake")])] * 2, [("bob", [(10, "stake")])], *key(MultipleSenders)),
    "no input": ([], [("bob", [(10, "stake")])], *key(NoInputs)),
    "no output": ([("alice", [(10, "stake")])], [], *key(NoOutputs)),
    "beyond 2^256": (
        [("alice", [(10, "stake")])],
        [("bob", [(2**255, "stake")])] * 2,
        "ibc",
        15,
    ),
    "nothing": ([("alice", [])], [("bob", [])], "sdk", 10),
    "zero": ([("alice", [(0, "stake")])], [("bob", [(0, "stake")])], "sdk", 10),
    "unsorted": (
        [("alice", [(1, "stake"), (1, "atom")])],
        [("bob", [(1, "stake"), (1, "atom")])],
        "sdk",
        10,
    ),
    "too much": ([("alice", [(10**10, "stake")])], [("bob", [(10**10, "stake")])], "sdk", 5),
    "a module": ([("alice", [(1, "stake")])], [(COLLECTOR, [(1, "stake")])], "sdk", 4),
    "no address": ([("alice", [(1, "stake")])], [("cosmos1x", [(1, "stake")])], "sdk", 7),
}


@pytest.mark.parametrize("case", CASES)
def test_what_does_not_add_up_is_refused(chain, run, alice, bob, case):
    inputs, outputs, codespace, code = CASES[case]
    collector = chain.app.addresses.encode(module_address("fee_collector")).text
    names = {"alice": alice.address.text, "bob": bob.address.text, COLLECTOR: collector}
    sides = [[(names.get(who, who), coins) for who, coins in side] for side in (inputs, outputs)]
    before = list(chain.app.store.store("bank").iterate())
    outcome = run(*sides)
    assert (outcome.codespace, outcome.code) == (codespace, code), outcome.log
    assert list(chain.app.store.store("bank").iterate()) == before
    assert coin("stake", 10**9).amount == held(chain, alice.address.text)


def test_only_the_sender_signs(chain, sign, bob):
    stolen = message([(bob.address.text, [(1, "stake")])], [(CAROL, [(1, "stake")])])
    assert chain.make_block([sign([stolen])]).txs[0].code != 0
    assert held(chain, CAROL) == 0
