"""Everything that applications do wrong, in every callback: it fails the transaction, on every replica."""

import logging
from pathlib import Path

import pytest

from abci_server.messages import encode
from conformance.kit.application_faults import FAULTS
from conformance.kit.channel_lifecycle import ONE, OTHER, lifecycle
from conformance.kit.tampering_apps import CALLBACKS, PORT, QUERY, TamperingPlugin
from ibc_module.plugin import Config, IbcPlugin
from localnet.chain import LocalChain
from localnet.settings import Genesis, funded
from pyibc.chain.app import HostApp
from pyibc.chain.comet.block_results import tx_result
from pyibc.chain.config import HostConfig
from pyibc.core.channel.types import ChannelState
from pyibc.core.coin import coin
from pyibc.core.errors import ApplicationFault
from pyibc.default_plugins import plugins
from pyibc.proto.tendermint.abci import types_pb2 as pb
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.pair import ManualClock
from tests.sampling import rounds

WALLET = Wallet.from_seed("keeper", "cosmos")
GENESIS = funded([(WALLET.address.text, [coin("stake", 10**12)])])
GAS = 5_000_000
STORES = ("ibc", "tampering", "bank")


class Keeper:
    """One chain, its keeper's transactions, and the blocks they were in."""

    def __init__(self):
        self.ibc = plugins(Config())
        self.chain = LocalChain(
            "broken-1",
            plugins=[*self.ibc, TamperingPlugin()],
            genesis=Genesis(app_state=GENESIS),
            clock=ManualClock(),
        )
        self.sequence = 0
        self.blocks = []

    def sign(self, messages):
        raw = WALLET.sign_tx(
            list(messages), chain_id="broken-1", account_number=0, sequence=self.sequence, gas_limit=GAS
        )
        self.sequence += 1
        return raw

    def block(self, *transactions):
        made = self.chain.make_block([self.sign(each) for each in transactions])
        self.blocks.append(made)
        told = pb.ResponseFinalizeBlock()
        for outcome in made.txs:  # an answer that cannot be encoded halts a chain as well
            encode.tx_result(tx_result(outcome), told.tx_results.add())
        assert len(told.SerializeToString()) > 0 or not made.txs
        return made.txs

    def state(self):
        """What is in the stores but for fees and sequences."""
        store = self.chain.app.store
        return {name: list(store.store(name).iterate(b"", None)) for name in STORES}

    def end(self, channel):
        ctx = self.chain.app.query_context()
        keepers = next(each for each in self.ibc if isinstance(each, IbcPlugin)).keepers
        return keepers.channels.get(ctx, PORT, channel).state


@pytest.fixture(scope="module")
def walked():
    """A chain at the end of the road, and (attempt, outcome, whether the state changed) of all attempts."""
    logging.getLogger("pyibc").setLevel(logging.CRITICAL)
    keeper, results = Keeper(), []
    for step in lifecycle(WALLET.address.text, keeper.chain.height, 1, blocks_a_step=2):
        while keeper.chain.height + 1 < step.not_before:
            keeper.block()
        before = keeper.state()
        outcomes = keeper.block(*[each.messages for each in step.attempts]) if step.attempts else ()
        changed = keeper.state() != before
        results += [
            (attempt, outcome, changed) for attempt, outcome in zip(step.attempts, outcomes, strict=True)
        ]
        (done,) = keeper.block((step.message,))
        assert done.code == 0, done.log
    logging.getLogger("pyibc").setLevel(logging.NOTSET)
    return keeper, results


def test_every_callback_met_everything(walked):
    _, results = walked
    met = {attempt.name.split(": ")[0] for attempt, _, _ in results}
    assert met == {*CALLBACKS, "deliver", "layer", "decoder"}
    assert len(results) > 250


def test_d39_whatever_an_application_does_its_transaction_fails_as_it_must(walked):
    _, results = walked
    wrong = [
        (attempt.name, outcome.codespace, outcome.code, outcome.log)
        for attempt, outcome, _ in results
        if (outcome.codespace, outcome.code) not in [(each.codespace, each.code) for each in attempt.errors]
    ]
    assert wrong == []


def test_d39_nothing_of_it_is_left_but_the_gas(walked):
    _, results = walked
    assert [attempt.name for attempt, _, changed in results if changed] == []
    assert [attempt.name for attempt, outcome, _ in results if not outcome.gas_used > 0] == []
    emitted = {kind for _, outcome, _ in results for kind, _ in outcome.events}
    assert emitted == {"tx"}  # the ante handler's


def test_d39_no_text_of_an_error_leaves_the_node(walked):
    _, results = walked
    told = [outcome.log + repr(outcome.events) for _, outcome, _ in results]
    assert [each for each in told if "secret" in each or "Traceback" in each or "ascii" in each] == []


def test_the_chain_lives_and_its_packets_can_be_tried_again(walked):
    keeper, _ = walked
    assert keeper.end(ONE) is keeper.end(OTHER) is ChannelState.CLOSED
    height = keeper.chain.height
    keeper.block()
    assert keeper.chain.height == height + 1


def below(levels, call):
    return call() if levels == 0 else below(levels - 1, call)


def test_d39_replicas_come_to_one_app_hash(walked):
    """Each is called from further up the stack, while its host handles an error of its own."""
    keeper, _ = walked
    replicas = [
        HostApp(HostConfig("broken-1"), [*plugins(Config()), TamperingPlugin()]) for _ in range(rounds(1, 4))
    ]
    logging.getLogger("pyibc").setLevel(logging.CRITICAL)
    for number, replica in enumerate(replicas, 1):
        first = keeper.chain.block(1)
        replica.init_chain(first.time_ns, GENESIS)
        for height in range(1, keeper.chain.height + 1):
            block = keeper.chain.block(height)
            raws = [each.tx for each in block.txs]
            header = keeper.chain.record(height).header

            def execute(replica=replica, block=block, raws=raws, header=header):
                return replica.finalize_block(block.time_ns, raws, header.next_validators_hash)

            try:
                Path("/nowhere").unlink()
            except OSError:
                done = below(number * 100, execute)
            same = [each._replace(log="") for each in done.outcomes]
            assert same == [each._replace(log="") for each in block.txs], (number, height)
            assert done.app_hash == block.app_hash
            replica.commit()
    logging.getLogger("pyibc").setLevel(logging.NOTSET)


@pytest.mark.parametrize("kind", FAULTS)
def test_a_query_that_breaks_answers_and_the_node_lives(walked, kind):
    keeper, _ = walked
    height = keeper.chain.height
    answer = keeper.chain.query(QUERY, kind.encode())
    panics = FAULTS[kind].errors == (ApplicationFault,) and kind != "recursion, swallowed"  # answers None
    expected = (ApplicationFault.codespace, ApplicationFault.code) if panics else ("sdk", 6)
    assert (answer.codespace, answer.code) == expected
    assert answer.value == b""
    assert "secret" not in answer.log
    keeper.chain.make_block([])
    assert keeper.chain.height == height + 1


def test_the_log_has_the_error_whole(caplog):
    keeper = Keeper()
    init = next(lifecycle(WALLET.address.text, keeper.chain.height, 1, 2))
    attempt = next(each for each in init.attempts if each.name == "on_chan_open_init: key error")
    (outcome,) = keeper.block(attempt.messages)
    assert (outcome.codespace, outcome.code) == (ApplicationFault.codespace, ApplicationFault.code)
    record = next(each for each in caplog.records if each.name == "pyibc")
    assert "MsgChannelOpenInit" in record.getMessage()
    assert "Traceback" in record.getMessage()
    assert "KeyError" in record.getMessage()
    assert "secret" in record.getMessage()
