"""Gas of batches on chains that limit the gas of a transaction."""

from fractions import Fraction
from math import inf

import pytest

from conformance.kit.seconds import SECONDS
from pyibc.core.channel.types import Order
from pyibc.core.errors import OutOfGas
from pyibc.core.host.block import TxOutcome
from pyibc.core.wire.tx import decode_tx
from pyibc.proto.cosmos.auth.v1beta1 import auth_pb2, query_pb2
from pyibc.proto.cosmos.tx.v1beta1 import service_pb2
from pyibc.relayer.chain.simulation import SIMULATE
from pyibc.relayer.chain.values import Query
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.links.outcomes import Action, action_of, ran_out_of_gas
from pyibc.relayer.money.account import ACCOUNT, GasConfig
from pyibc.relayer.money.accounts import NodeAccess, SigningAccounts
from pyibc.relayer.money.budgets import DAY_S, NO_BUDGET, Budget
from pyibc.relayer.money.fees import GasPrice
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import make_path

WALLET = Wallet(b"\x01" * 32, "cosmos")
CHANNEL = "channel-0"
QUICK = Options(sleep=lambda _seconds: None, clock=SECONDS, retry_wait_s=inf)
EACH = 100_000  # gas of a message


class Metered:
    """Submissions to a chain by an account that pays gas, with a limit on the gas of a transaction."""

    def __init__(self, chain, limit, *, simulates=True, price="0stake", budget=NO_BUDGET):
        self.chain, self.limit, self.simulates = chain, limit, simulates
        config = GasConfig(multiplier=Fraction(1), price=GasPrice.parse(price), budget=budget)
        self.sequence, self.bought, self.refused = 0, [], 0
        self.accounts = SigningAccounts((WALLET,), "c-1", config)
        self._submit = chain.submit
        chain.submit = self.submit

    def submit(self, messages):
        sent = self.accounts.broadcast(messages, NodeAccess(Query(self.query), self.broadcast, 1))
        if sent.refusal is not None:
            return sent.refusal
        outcome = self._submit(messages)
        self.accounts.done(sent, outcome)
        return outcome

    def query(self, path, request):
        if path == ACCOUNT:
            found = auth_pb2.BaseAccount(address=WALLET.address.text, sequence=self.sequence)
            response = query_pb2.QueryAccountResponse()
            response.account.Pack(found, type_url_prefix="/")
            return response.SerializeToString()
        if path == SIMULATE and self.simulates:
            tx = decode_tx(service_pb2.SimulateRequest.FromString(request).tx_bytes)
            answer = service_pb2.SimulateResponse()
            answer.gas_info.gas_used = EACH * len(tx.messages)
            return answer.SerializeToString()
        raise EndpointRefused("c-1", path, "6 unknown query path")

    def broadcast(self, raw):
        gas = decode_tx(raw).fee.gas_limit
        if gas > self.limit:
            self.refused += 1
            log = f"tx gas wanted {gas} exceeds the limit of {self.limit} per transaction: out of gas"
            return TxOutcome(raw, OutOfGas.code, OutOfGas.codespace, (), 0, 0, log=log)
        self.sequence += 1
        self.bought.append(gas)
        return TxOutcome(raw, 0, "", (), 0, 0)


def opened(pair):
    path = make_path(*pair, "port", Order.UNORDERED, "v1")
    for chain in pair:
        chain.log.clear()
    return path


def test_a_limit_on_gas_per_transaction_halves_batches_and_doubles_no_gas(pair):
    link = Link([opened(pair)], *pair, options=QUICK)
    far = Metered(pair[1], limit=30 * EACH)
    for _ in range(200):
        pair[0].send(CHANNEL)
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, done.given_up, link.pending) == (200, 200, {}, 0)
    updates = done.updates
    assert sum(far.bought) <= EACH * (200 + updates)
    assert far.refused <= 2 * (200 // 100) * 4


RAN_OUT = "out of gas in location: WritePerByte; gasWanted: 100, gasUsed: 101: out of gas"


@pytest.mark.parametrize(
    ("wanted", "used", "log", "packets", "expected"),
    [
        (100, 101, RAN_OUT, 9, True),
        (100, 100, "", 9, True),
        (100, 0, "no block gas left to run tx: out of gas", 1, False),
        (100, 40, "tx gas exceeds the limit: out of gas", 1, False),
        (0, 0, RAN_OUT, 1, True),
        (0, 0, RAN_OUT, 2, False),
        (0, 0, "tx gas exceeds the limit: out of gas", 1, False),
    ],
)
def test_gas_ran_out_if_the_chain_tells_that_more_was_used(wanted, used, log, packets, expected):
    outcome = TxOutcome(b"", OutOfGas.code, OutOfGas.codespace, (), wanted, used, log=log)
    assert action_of(outcome) is Action.MORE_GAS
    assert ran_out_of_gas(outcome, packets) is expected


def test_what_a_budget_has_no_room_for_is_listed_and_goes_the_next_day(pair):
    """Neither a packet beyond the budget nor a client update for it is paid."""
    link = Link([opened(pair)], *pair, options=QUICK)
    budget = Budget(path=2 * EACH + EACH // 2)  # two packets, or one with its client update
    far, now = Metered(pair[1], limit=10**9, price="1stake", budget=budget), [0.0]
    far.accounts.budgets._clock = lambda: now[0]
    for _ in range(3):
        pair[0].send(CHANNEL)
        link.until_idle()
    assert (link.metrics.delivered, link.pending, link.metrics.given_up) == (1, 2, {})
    reason = (
        f"not sent: the day's budget of {budget.path}stake for the path 'port/channel-0>port/channel-0' has "
        f"{EACH // 2} left; it is renewed at 00:00 UTC"
    )
    assert [each.reason for each in link.deferred()] == [reason, reason]
    paid = len(far.bought)
    for _ in range(30):
        pair[1].make_block()
        link.round()
    assert len(far.bought) == paid
    for _ in range(3):
        now[0] += DAY_S
        for _ in range(400):
            pair[1].make_block()
            link.round()
    assert (link.metrics.delivered, link.pending, link.deferred()) == (3, 0, [])
