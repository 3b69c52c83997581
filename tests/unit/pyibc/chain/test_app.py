"""The application as a consensus engine sees it."""

import datetime
import random
import secrets
import time

import pytest

from ibc_module import hookimpl
from localnet.settings import Genesis
from pyibc.chain.accounts.keeper import decode_account
from pyibc.chain.app import EMPTY_APP_HASH, HostApp
from pyibc.chain.config import HostConfig, TxLimits, module_address
from pyibc.core.errors import RedundantTx
from pyibc.core.setup_error import InvalidGenesis
from pyibc.proto.cosmos.auth.v1beta1 import query_pb2 as auth_pb2
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2 as bank_pb2
from pyibc.proto.google.protobuf import any_pb2

LATER = 1_700_000_001_000_000_000


def start(genesis, *extra, config=None):
    app = HostApp(config or HostConfig("chain-1"), extra)
    assert app.init_chain(genesis.time_ns, genesis.app_state) == EMPTY_APP_HASH
    app.finalize_block(genesis.time_ns, [])
    app.commit()
    return app


@pytest.fixture
def app(genesis):
    return start(genesis)


def test_finalize_stores_nothing_and_can_be_repeated(app, sign):
    before, other = app.info(), sign(memo="other")
    first = app.finalize_block(LATER, [sign()])
    assert app.info() == before
    app.finalize_block(LATER + 1, [other, other])
    again = app.finalize_block(LATER, [sign()])
    assert again == first
    assert app.commit() == (2, first.app_hash)


def test_check_tx_never_changes_the_app_hash(genesis, sign):
    quiet, busy = start(genesis), start(genesis)
    for sequence in range(5):
        busy.check_tx(sign(sequence=sequence))
    busy.check_tx(b"junk")
    busy.simulate(sign())
    assert quiet.finalize_block(LATER, [sign()]) == busy.finalize_block(LATER, [sign()])


def test_proposals_keep_to_bytes_and_gas(genesis, sign):
    app = start(genesis, config=HostConfig("chain-1", block_gas=2_500_000))
    txs = [sign(sequence=n) for n in range(4)]
    assert app.prepare_proposal(txs, 10**6, LATER) == txs[:2]
    assert app.prepare_proposal(txs, len(txs[0]), LATER) == txs[:1]
    assert app.prepare_proposal([b"junk", txs[0]], 10**6, LATER) == txs[:1]
    assert app.process_proposal(txs[:2], LATER)
    assert not app.process_proposal(txs[:3], LATER)
    assert not app.process_proposal([b"junk"], LATER)


def test_h275_gas_that_is_declared_is_not_counted_where_blocks_have_no_limit(genesis, sign):
    """Twenty free transactions of the most that fits an int64 kept all others out."""
    most = 2**63 - 1
    app = start(genesis, config=HostConfig("chain-1", block_gas=-1, limits=TxLimits(gas=most)))
    txs = [sign(sequence=n, gas_limit=most) for n in range(20)] + [sign(sequence=20)]
    assert app.prepare_proposal(txs, 10**6, LATER) == txs
    assert app.process_proposal(txs, LATER)


def test_h276_later_transactions_of_a_signer_wait_for_one_that_does_not_fit(genesis, sign, send, bob):
    """By gas and by bytes; another's do not wait, and a signer beside one who waits waits as well."""
    app = start(genesis, config=HostConfig("chain-1", block_gas=2_500_000))

    def of_bob(**fields):
        return sign([send(sender=bob)], bob, account_number=1, **fields)

    both = sign([send(), send(sender=bob)], sequence=3, gas_limit=10)
    txs = [sign(gas_limit=2_000_000), sign(sequence=1), sign(sequence=2, gas_limit=10), of_bob(), both]
    last = of_bob(sequence=1, gas_limit=10)
    assert app.prepare_proposal([*txs[:3], of_bob(gas_limit=400_000)], 10**6, LATER) == [
        txs[0],
        of_bob(gas_limit=400_000),
    ]
    assert app.prepare_proposal([*txs[:3], both, last], 10**6, LATER) == txs[:1]
    long = sign(sequence=1, memo="m" * 200)
    size = len(txs[0]) + len(long) - 1
    assert app.prepare_proposal([txs[0], long, txs[2], last], size, LATER) == [txs[0], last]


def test_h276_a_transaction_that_waits_is_in_a_later_block(make_chain, sign):
    chain = make_chain(config=HostConfig("chain-1", block_gas=2_500_000))
    txs = [
        sign(gas_limit=2_000_000),
        sign(sequence=1, gas_limit=1_000_000),
        sign(sequence=2, gas_limit=1_000_000),
    ]
    assert [chain.submit(raw).code for raw in txs] == [0, 0, 0]
    made = [chain.make_block().txs, chain.make_block().txs]
    assert [[each.tx for each in block] for block in made] == [txs[:1], txs[1:]]
    assert [each.code for block in made for each in block] == [0, 0, 0]


def test_h47b_no_clock_and_no_chance_inside_a_block(make_chain, sign, send, monkeypatch):
    chain = make_chain()

    def forbidden(*_):
        raise AssertionError("a block asked for the time or for a random number")

    class NoNow(datetime.datetime):
        now = utcnow = today = forbidden

    for owner, name in ((time, "time"), (time, "time_ns"), (time, "monotonic"), (time, "perf_counter")):
        monkeypatch.setattr(owner, name, forbidden)
    for owner, name in ((random, "random"), (random, "randrange"), (secrets, "token_bytes")):
        monkeypatch.setattr(owner, name, forbidden)
    monkeypatch.setattr(datetime, "datetime", NoNow)
    final = chain.app.finalize_block(LATER, [sign(), sign([send(10**12)], sequence=1), b"junk"])
    assert [outcome.code for outcome in final.outcomes] == [0, 5, 2]


class Doorkeeper:
    """Notes a receipt in its store at the mempool's door, and refuses the second of a kind."""

    @hookimpl
    def chain_stores(self):
        return ("door",)

    @hookimpl
    def chain_check_tx(self, ctx, messages, recheck):
        key = messages[0].type_url.encode()
        seen = ctx.store("door").has(key)
        ctx.store("door").set(key, b"1")
        if seen:
            raise RedundantTx


def test_plugins_stand_at_the_door_with_the_pending_state(genesis, sign):
    app = start(genesis, Doorkeeper())
    assert app.check_tx(sign()).code == 0
    refused = app.check_tx(sign(sequence=1))
    assert (refused.codespace, refused.code) == (RedundantTx.codespace, RedundantTx.code)
    app.finalize_block(LATER, [])
    app.commit()
    assert app.check_tx(sign()).code == 0
    assert list(app.store.store("door").iterate()) == []


def test_account_query_is_an_any_of_base_account(app, alice):
    request = auth_pb2.QueryAccountRequest(address=alice.address.text).SerializeToString()
    said = auth_pb2.QueryAccountResponse.FromString(app.grpc("/cosmos.auth.v1beta1.Query/Account", request))
    assert said.account.type_url == "/cosmos.auth.v1beta1.BaseAccount"
    packed = any_pb2.Any(type_url=said.account.type_url, value=said.account.value)
    assert decode_account(packed.SerializeToString()).address == alice.address.text
    said = auth_pb2.QueryAccountInfoResponse.FromString(
        app.grpc("/cosmos.auth.v1beta1.Query/AccountInfo", request)
    )
    assert said.info.address == alice.address.text
    said = auth_pb2.Bech32PrefixResponse.FromString(app.grpc("/cosmos.auth.v1beta1.Query/Bech32Prefix", b""))
    assert said.bech32_prefix == "cosmos"


def test_bank_queries_of_now_and_of_then(app, sign, bob):
    app.finalize_block(LATER, [sign()])
    app.commit()
    request = bank_pb2.QueryAllBalancesRequest(address=bob.address.text).SerializeToString()
    for height, held in ((1, 0), (2, 1), (0, 1)):
        raw = app.grpc("/cosmos.bank.v1beta1.Query/AllBalances", request, height)
        assert bank_pb2.QueryAllBalancesResponse.FromString(raw).pagination.total == held


def test_an_exported_state_starts_another_chain(app, sign, alice):
    app.finalize_block(LATER, [sign()])
    app.commit()
    exported = app.export_genesis()
    other = start(Genesis(exported, LATER))
    assert other.export_genesis() == exported
    account = other.accounts.get(other.query_context(), alice.address.raw)
    assert (account.sequence, account.public_key) == (1, alice.public_key)


@pytest.mark.parametrize(
    "coins",
    [
        [{"denom": "stake", "amount": "0"}],
        [{"denom": "stake", "amount": "-5"}],
        [{"denom": "1x", "amount": "5"}],
        [{"denom": "stake", "amount": str(2**256)}],
        [{"denom": "stake", "amount": str(2**256 - 1)}, {"denom": "stake", "amount": "1"}],
    ],
)
def test_a_genesis_with_impossible_coins_is_refused(alice, coins):
    state = {"bank": {"balances": [{"address": alice.address.text, "coins": coins}]}}
    with pytest.raises(InvalidGenesis, match=r"^genesis: bank\.balances\[0\]\.coins\[[01]\]: "):
        HostApp(HostConfig("chain-1")).init_chain(1, state)


def test_modules_may_not_be_sent_to(app, sign, send):
    class Module:
        address = app.addresses.encode(module_address("transfer"))

    outcome = app.finalize_block(LATER, [sign([send(receiver=Module)])]).outcomes[0]
    assert (outcome.codespace, outcome.code) == ("sdk", 4)
