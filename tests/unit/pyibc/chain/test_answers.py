"""Responses and events are bounded in a transaction, in a block and in a simulation."""

import pytest

from ibc_module import hookimpl
from localnet.settings import funded
from pyibc.chain import app as host_app
from pyibc.chain.app import HostApp
from pyibc.chain.config import GasPrices, HostConfig
from pyibc.chain.queries.tx_service import Deadline, SimulationFailed
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.errors import TooLarge
from pyibc.core.host.context import MessageRoute
from pyibc.core.host.gas import AnswerPrices
from pyibc.isolation.isolate import builtin
from pyibc.isolation.limits import MAX_RESPONSE
from pyibc.relayer.money.wallet import Wallet
from tests.unit.pyibc.chain.tx.test_simulation import ask

START = 1_700_000_000_000_000_000
ALICE = Wallet.from_seed("alice", "cosmos")
KIB = 1024
FREE = GasPrices(answers=AnswerPrices(0, 0))


@builtin
class Speaker:
    """Answers a message `n,m,k` by n bytes, having emitted m bytes of events and read k entries."""

    def __init__(self):
        self.executed = 0

    @hookimpl
    def chain_messages(self):
        signer = ALICE.address.raw
        return {"/own.Msg": MessageRoute(bytes, lambda _: (signer,), self.speak, "/own.R")}

    def speak(self, ctx, message):
        self.executed += 1
        response, events, reads = map(int, message.split(b","))
        for _ in range(reads):
            ctx.reader("bank").get(b"nobody")
        ctx.emit(("said", (("k", "e" * events),)))
        return bytes(response)


@pytest.fixture
def speaker():
    return Speaker()


@pytest.fixture
def make(speaker):
    def made(**config):
        app = HostApp(HostConfig("chain-1", **{"gas": FREE, **config}), [speaker])
        app.init_chain(START, funded([(ALICE.address.text, [coin("stake", 10**9)])]))
        app.finalize_block(START, [])
        app.commit()
        return app

    return made


def tx(*messages, sequence=0, gas_limit=100_000_000):
    packed = [AnyMessage("/own.Msg", ",".join(map(str, each)).encode()) for each in messages]
    return ALICE.sign_tx(packed, chain_id="chain-1", account_number=0, sequence=sequence, gas_limit=gas_limit)


def test_h246_the_responses_of_a_transaction_are_bounded(make, speaker):
    part = MAX_RESPONSE // 4
    app = make()
    fits, fails = tx(*[(part - KIB, 1, 0)] * 4), tx(*[(part, 1, 0)] * 9, sequence=1)
    outcomes = app.finalize_block(START + 1, [fits, fails]).outcomes
    assert [(each.codespace, each.code) for each in outcomes] == [
        ("", 0),
        (TooLarge.codespace, TooLarge.code),
    ]
    assert MAX_RESPONSE - 5 * KIB < len(outcomes[0].data) <= MAX_RESPONSE
    assert outcomes[1].data == b""
    assert speaker.executed == 4 + 4  # after the one without room none is executed


def test_h246_what_the_encoding_adds_counts(make):
    sizes = [500] * 30
    app = make(block_data_bytes=30 * (500 + len("/own.R")) + 100)
    (outcome,) = app.finalize_block(START + 1, [tx(*[(size, 1, 0) for size in sizes])]).outcomes
    assert (outcome.codespace, outcome.code) == (TooLarge.codespace, TooLarge.code)


def test_h246_the_responses_of_a_block_are_bounded(make):
    app = make(block_data_bytes=100 * KIB)
    txs = [tx((size * KIB, 1, 0), sequence=n) for n, size in enumerate((60, 60, 30, 30))]
    outcomes = app.finalize_block(START + 1, txs).outcomes
    assert [each.code for each in outcomes] == [0, TooLarge.code, 0, TooLarge.code]
    assert sum(len(each.data) for each in outcomes) < 100 * KIB
    app.commit()
    (next_block,) = app.finalize_block(START + 2, [tx((60 * KIB, 1, 0), sequence=4)]).outcomes
    assert next_block.code == 0


def test_h246_a_full_block_of_responses_goes_over_grpc():
    """The default gas of a block pays for less than the 4 MiB that CometBFT's gRPC client takes."""
    config = HostConfig("chain-1")
    assert config.gas_of_block // config.gas.answers.response_byte < 3 * KIB * KIB
    assert config.block_data_bytes < 3 * KIB * KIB


def test_h246_a_simulation_answers_so_much_and_no_more(make, speaker):
    app = make(simulation_bytes=50 * KIB)
    assert len(ask(app, tx(*[(1, 9 * KIB, 0)] * 5)).result.events) > 5
    speaker.executed = 0
    with pytest.raises(SimulationFailed, match=r"events: size .* exceeds 51200"):
        ask(app, tx(*[(1, 11 * KIB, 0)] * 50))
    assert speaker.executed == 5
    with pytest.raises(SimulationFailed, match=r"responses: size .* exceeds 1048576"):
        ask(app, tx(*[(MAX_RESPONSE // 2, 1, 0)] * 50))
    assert speaker.executed == 5 + 2  # the second has no room


def test_h246_gas_is_what_a_simulation_says(make):
    app = make(gas=GasPrices())
    raw = tx((700, 3_000, 0))
    told = ask(app, raw).gas_info.gas_used
    (outcome,) = app.finalize_block(START + 1, [raw]).outcomes
    assert outcome.code == 0
    assert told == outcome.gas_used
    free = make().finalize_block(START + 1, [raw]).outcomes[0].gas_used
    assert outcome.gas_used - free == 200 * 700 + 5 * (len("said") + 1 + 3_000)


def test_h247_blocks_and_simulations_are_finite_by_default():
    config = HostConfig("chain-1")
    assert 0 < config.gas_of_simulation < config.gas_of_block == config.block_gas <= 10**9


def test_h247_a_simulation_ends_at_its_deadline(make, monkeypatch):
    app, now = make(), iter(range(1_000_000))
    raw = tx((1, 1, 200))
    ask(app, raw)
    monkeypatch.setattr(host_app, "Deadline", lambda seconds: Deadline(seconds, lambda: next(now)))
    with pytest.raises(SimulationFailed, match="the simulation took longer than 10 s"):
        ask(app, raw)
    (outcome,) = app.finalize_block(START + 1, [raw]).outcomes
    assert outcome.code == 0  # no clock ends a transaction of a block
    assert next(now) < 50
