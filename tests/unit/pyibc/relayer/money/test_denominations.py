"""Fees in several denominations: the first in which the account has the funds."""

import json
from fractions import Fraction
from io import StringIO

import pytest
from rich.console import Console

from pyibc.cli.between import _gas
from pyibc.cli.relay.status import view
from pyibc.core.coin import coin
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2
from pyibc.relayer.chain.values import Tip
from pyibc.relayer.config.file import read_config
from pyibc.relayer.config.rules import MAX_DENOMS
from pyibc.relayer.daemon.chain_watch import ChainStatus, ChainWatch, Funds
from pyibc.relayer.daemon.connecting import gas_of
from pyibc.relayer.daemon.exposition import DaemonSnapshot, Exposition, health
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer, WrongConfiguration
from pyibc.relayer.links.outcomes import Action, action_of
from pyibc.relayer.money.account import FeeTerms, GasConfig
from pyibc.relayer.money.budgets import Budget
from pyibc.relayer.money.denominations import BALANCE
from pyibc.relayer.money.fees import PRICE_SOURCES, DynamicPrice, GasPrice
from pyibc.relayer.money.spending_file import SpendingFile
from tests.unit.pyibc.relayer.money.test_accounts import GAS, ONE, TWO, UNFUNDED, FakeNode, accounts, recv

VOUCHER = f"ibc/{'2B' * 32}"
OTHER = FeeTerms(GasPrice(Fraction(1, 10), VOUCHER), max_fee=10_001, budget=Budget(chain=25_000))
BOTH = GAS._replace(multiplier=Fraction(1), others=(OTHER,))
COST = {"stake": 2_500, VOUCHER: 10_000}  # of the gas of a transaction


class Bank(FakeNode):
    """Node that tells balances."""

    def __init__(self, **balances):
        super().__init__(100_000)
        self.balances = {"stake": 0, VOUCHER: 0} | balances
        self.questions = []

    def query(self, path, request):
        if path != BALANCE:
            return super().query(path, request)
        asked = query_pb2.QueryBalanceRequest.FromString(request)
        self.questions.append((asked.address, asked.denom))
        balance = self.balances[asked.denom]
        if isinstance(balance, Exception):
            raise balance
        answer = query_pb2.QueryBalanceResponse()
        answer.balance.denom, answer.balance.amount = asked.denom, str(balance)
        return answer.SerializeToString()

    def fees(self):
        return [tx.fee.amount for tx in self.sent]


def test_fees_are_paid_in_the_first_denomination_in_which_the_account_can():
    node, relayer = Bank(stake=2_500, **{VOUCHER: 10_000}), accounts(BOTH)
    assert relayer.broadcast([recv(1)], node.node).refusal is None
    assert relayer.offer(node.node.query).price.denom == "stake"
    node.balances["stake"] = 2_499
    assert relayer.broadcast([recv(2)], node.node).refusal is None
    assert (relayer.offer(node.node.query).price.denom, relayer.offer(node.node.query).max_fee) == (
        VOUCHER,
        10_001,
    )
    node.balances["stake"] = 9_999  # somebody has paid
    assert relayer.broadcast([recv(3)], node.node).refusal is None
    assert node.fees() == [(coin("stake", 2_500),), (coin(VOUCHER, 10_000),), (coin("stake", 2_500),)]
    assert relayer.spent_today == {"stake": 5_000, VOUCHER: 10_000}


def test_nothing_is_simulated_in_a_denomination_of_which_there_is_nothing():
    node = Bank(**{VOUCHER: 10_000})
    accounts(BOTH).broadcast([recv(1)], node.node)
    assert [draft.fee.amount for draft in node.drafts] == [(coin(VOUCHER, 1),)]


def test_without_funds_in_any_the_first_is_named():
    node = Bank(stake=3, **{VOUCHER: 9_999})
    refusal = accounts(BOTH).broadcast([recv(1)], node.node).refusal
    assert refusal is not None
    assert action_of(refusal) is Action.ACCOUNT
    assert (refusal.log, node.sent) == ("not sent: the account has 3stake, the fee is 2500stake", [])


def test_limits_are_those_of_the_denomination_and_hold_although_another_one_could_pay():
    node = Bank(**{VOUCHER: 10**9})
    relayer = accounts(BOTH._replace(max_fee=2_499))
    assert relayer.broadcast([recv(1)], node.node).refusal is None  # 10,000 of 10,001
    assert relayer.broadcast([recv(2)], node.node).refusal is None
    held = relayer.broadcast([recv(3)], node.node).refusal
    assert held is not None
    assert f"the day's budget of 25000{VOUCHER} for the chain has 5000 left" in held.log
    node.balances["stake"] = 10**9
    held = relayer.broadcast([recv(3)], node.node).refusal
    assert held is not None
    assert held.log == "not sent: fee 2500 for 1 packets, above the limit of 2499 per packet"
    assert action_of(held) is Action.HOLD
    assert relayer.spent_today == {"stake": 0, VOUCHER: 20_000}


def test_a_refusal_for_lack_of_funds_leads_to_the_next_and_is_given_back():
    """Fees of transactions in flight are not part of the balance."""
    node, relayer = Bank(stake=2_500, **{VOUCHER: 10_000}), accounts(BOTH)
    node.refusals = [UNFUNDED]
    assert relayer.broadcast([recv(1)], node.node).refusal is None
    assert node.fees() == [(coin(VOUCHER, 10_000),)]
    assert relayer.spent_today == {"stake": 0, VOUCHER: 10_000}


def test_the_balance_is_that_of_who_pays_and_only_asked_for_if_there_is_a_choice():
    node = Bank(stake=2_500)
    accounts(BOTH._replace(granter=TWO.address.text)).broadcast([recv(1)], node.node)
    assert node.questions == [(TWO.address.text, "stake")]
    accounts(BOTH).broadcast([recv(1)], node.node)
    assert node.questions[1:] == [(ONE.address.text, "stake")]
    accounts(GAS).broadcast([recv(1)], node.node)
    assert len(node.questions) == 2


def test_a_chain_that_tells_no_balances_decides_itself():
    node = Bank(stake=EndpointRefused("c-1", BALANCE, "unknown service"))
    node.refusals = [UNFUNDED]
    node.balances[VOUCHER] = 10_000
    assert accounts(BOTH).broadcast([recv(1)], node.node).refusal is None
    assert node.fees() == [(coin(VOUCHER, 10_000),)]


@pytest.mark.parametrize(
    ("balance", "error"),
    [
        (EndpointUnavailable("c-1", "is down"), EndpointUnavailable),
        ("-", MalformedAnswer),
        ("9" * 79, MalformedAnswer),
    ],
)
def test_a_node_that_fails_to_tell_a_balance_is_an_error(balance, error):
    node = Bank(stake=balance)
    with pytest.raises(error):
        accounts(BOTH).broadcast([recv(1)], node.node)
    assert node.sent == []


def test_spending_is_saved_by_denomination(tmp_path):
    def start():
        return accounts(BOTH._replace(spending=SpendingFile(tmp_path / "spending")))

    node = Bank(**{VOUCHER: 10_000})
    start().broadcast([recv(1)], node.node)
    assert start().spent_today == {"stake": 0, VOUCHER: 10_000}


# -- configuration


def test_a_list_of_fees_is_read(configuration):
    first = '{ denom = "uatom", price = 0.025, max_gas = 5_000_000, memo = "m", market = "feemarket" }'
    second = f'{{ denom = "{VOUCHER}", price = 0.1, max_fee = 7, budget = {{ path = 9 }} }}'
    file = configuration(f'key = {{ env = "A" }}\nfees = [{first}, {second}]')
    gas = gas_of(*read_config(file).chains[0].all_fees)
    assert (gas.limit, gas.memo) == (5_000_000, "m")
    fallback = GasPrice(Fraction(1, 40), "uatom")
    assert gas.terms == (
        FeeTerms(DynamicPrice(PRICE_SOURCES["feemarket"], fallback)),
        FeeTerms(GasPrice(Fraction(1, 10), VOUCHER), 7, Budget(path=9)),
    )


@pytest.mark.parametrize(
    ("fees", "reason"),
    [
        ("[]", f"chain a-1, fees: 0 denominations: give one to {MAX_DENOMS}"),
        (f"[{', '.join(['{}'] * 9)}]", "fees: 9 denominations"),
        ('[{ denom = "uatom" }, { denom = "uatom" }]', r"fees\[1\].denom: 'uatom' is there twice"),
        ('[{ denom = "uatom" }, { denom = "!" }]', r"fees\[1\].denom: '!' is not a denomination"),
        ("[{}, { denom = 'x1y', max_fee = -1 }]", r"fees\[1\].max_fee: max_fee is negative"),
        (
            "[{}, { denom = 'x1y', memo = 'm' }]",
            r"fees\[1\].memo: is of all transactions: set it in the first",
        ),
        ("[{ max_gas = 0 }, { denom = 'x1y' }]", r"fees\[0\].max_gas: not positive"),
        ("[{}, { denom = 'x1y', price = -1 }]", r"fees\[1\].price: '-1' is not a decimal number"),
    ],
)
def test_a_wrong_list_of_fees_is_refused_with_its_place(configuration, fees, reason):
    file = configuration(f'key = {{ env = "A" }}\nfees = {fees}')
    with pytest.raises(WrongConfiguration, match=reason):
        read_config(file)


def test_gas_prices_of_the_command_line():
    assert _gas(("1stake",)) == GasConfig(price=GasPrice(Fraction(1), "stake"))
    assert [terms.price.denom for terms in _gas(("1stake", "2uatom")).terms] == ["stake", "uatom"]


# -- status


def test_a_balance_that_cannot_be_read_is_logged_once_and_leaves_the_chain_up(pair, monkeypatch, caplog):
    wrong, right = b"\n\x0b\n\x05stake\x12\x02?2", b"\n\x0b\n\x05stake\x12\x0242"
    answers = [wrong, wrong, right]
    monkeypatch.setattr(type(pair[0]), "grpc", lambda *_: answers.pop(0))
    watch = ChainWatch("a-1", "stake", lambda: pair[0])
    for known in ((), (), ((pair[0].signer, 42),)):
        watch.check()
        assert (watch.status.is_up, watch.status.balances) == (True, known)
    (told,) = [each for each in caplog.records if each.message == "balance unknown"]
    assert (told.account, told.denom) == (pair[0].signer, "stake")
    assert "'?2'" in told.reason


def test_every_denomination_is_watched_and_shown(pair, monkeypatch):
    monkeypatch.setattr(type(pair[0]), "grpc", lambda *_: b"\n\x0b\n\x05stake\x12\x0242")
    watch = ChainWatch("a-1", "stake", lambda: pair[0], others=(VOUCHER,))
    watch.check()
    assert [each.denom for each in watch.status.funds] == ["stake", VOUCHER]
    assert [each.balances for each in watch.status.funds] == [((pair[0].signer, 42),)] * 2
    status = ChainStatus(
        "a-1",
        True,
        "",
        Tip(1, 1),
        "stake",
        (("x", 1),),
        spent_today=2,
        others=(Funds("uatom", (("x", 3),), 4),),
    )
    seen = DaemonSnapshot([], [status])
    text = Exposition(lambda: seen).text().decode()
    for line in (
        'ibc_relay_wallet_balance{account="x",chain="a-1",denom="stake"} 1.0',
        'ibc_relay_wallet_balance{account="x",chain="a-1",denom="uatom"} 3.0',
        'ibc_relay_spent_today{chain="a-1",denom="stake"} 2.0',
        'ibc_relay_spent_today{chain="a-1",denom="uatom"} 4.0',
    ):
        assert line in text
    found = json.loads(health(seen)[1])
    assert found["chains"][0]["others"] == [{"denom": "uatom", "balances": [["x", 3]], "spent_today": 4}]
    out = StringIO()
    Console(file=out, width=200).print(view(found))
    assert [word in out.getvalue() for word in ("1 stake", "3 uatom")] == [True, True]
