"""What a stranger may cost a node: memory for refused transactions, reads of a query, the length of a log."""

import pytest

from localnet.settings import funded
from pyibc.chain import app as host_app
from pyibc.chain.app import HostApp
from pyibc.chain.bank import send as bank_send
from pyibc.chain.bank.send import MSG_MULTI_SEND, MSG_SEND, encode_send, parse_coins, payout
from pyibc.chain.config import GasPrices, HostConfig
from pyibc.chain.tx.runner import TxRunner
from pyibc.codec import walk
from pyibc.codec.anys import AnyMessage
from pyibc.codec.budget import BYTES_AN_ELEMENT, ELEMENTS_OF_A_FIELD, FREE_ELEMENTS
from pyibc.core.coin import coin, parse_amount
from pyibc.core.errors import (
    InsufficientFee,
    InvalidSdkCoins,
    OutOfGas,
    TooManySignatures,
    TxDecode,
    UnauthorizedTx,
)
from pyibc.core.wire import tx
from pyibc.core.wire.tx import (
    DIRECT,
    MAX_FEE_COINS,
    MAX_SIGNERS,
    Fee,
    SignerInfo,
    decode_tx,
    encode_auth_info,
    encode_body,
    encode_tx,
)
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgMultiSend
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin as PbCoin
from pyibc.relayer.money.wallet import Wallet

LATER = 1_700_000_001_000_000_000
FEE = (coin("stake", 1_000),)
MANY = tuple(coin(f"coin{number:05d}", 1) for number in range(2_000))


@pytest.fixture
def app(alice):
    """Three coins."""
    app = HostApp(HostConfig("chain-1", gas=GasPrices(micro=1_000)))
    coins = [coin("aatom", 1), coin("batom", 1), coin("stake", 10**9)]
    app.init_chain(LATER - 1, funded([(alice.address.text, coins)]))
    app.finalize_block(LATER - 1, [])
    app.commit()
    return app


def remembered(app):
    return set(app._runner._cache)


def test_h75_what_the_mempool_refuses_is_not_remembered(app, alice, sign):
    """Decoded, a transaction takes ten times its bytes; only what a signer answers for is kept."""
    good, mallory = sign(fee=FEE), Wallet.from_seed("mallory", "cosmos")
    refused = [sign(fee=FEE, memo="a", sequence=9), sign(fee=(), memo="b"), sign(wallet=mallory, fee=FEE)]
    assert [app.check_tx(raw).code for raw in refused] == [32, 13, 8]
    assert remembered(app) == set()
    assert app.check_tx(good).code == 0
    assert remembered(app) == {good}
    assert [each.code for each in app.finalize_block(LATER, [good]).outcomes] == [0]


def test_h75_a_refused_fee_is_not_told_in_full(app, sign):
    outcome = app.check_tx(sign(fee=MANY[:MAX_FEE_COINS]))
    assert (outcome.codespace, outcome.code) == (InsufficientFee.codespace, InsufficientFee.code)
    assert len(outcome.log) < 500
    outcome = app.check_tx(sign(fee=MANY[MAX_FEE_COINS - 1 :: -1]))
    assert (outcome.codespace, outcome.code) == (InsufficientFee.codespace, InsufficientFee.code)
    assert len(outcome.log) < 500


@pytest.mark.parametrize("signers", [1, MAX_SIGNERS])
def test_h75_a_fee_has_so_many_coins_and_no_more(signers):
    coins = MANY[: MAX_FEE_COINS + 1]
    infos = [SignerInfo(None, DIRECT, 0)] * signers
    assert len(decode_tx(drafted(infos, coins[:-1])).fee.amount) == MAX_FEE_COINS
    with pytest.raises(TxDecode, match="65 coins, at most 64"):
        decode_tx(drafted(infos, coins))


def test_h75_a_transaction_has_so_many_signers_and_no_more(monkeypatch):
    infos = [SignerInfo(None, DIRECT, 7)] * (MAX_SIGNERS + 1)
    assert len(decode_tx(drafted(infos[:-1], ())).signer_infos) == MAX_SIGNERS
    monkeypatch.setattr(tx, "_signer_info", lambda _: pytest.fail("one was read"))
    with pytest.raises(TxDecode, match="257 signer infos, at most 256"):
        decode_tx(drafted(infos, ()))


def drafted(infos, fee):
    """A transaction without messages, of which nothing is signed; long enough for all that is in it."""
    return encode_tx(encode_body([], "m" * 10_000), encode_auth_info(infos, Fee(fee, 1)), [])


@pytest.mark.parametrize("raw", [b"\x0a\x00", b"\x12\x02\x0a\x00", b"\x12\x00"])
def test_h75_an_unsigned_transaction_of_next_to_nothing_changes_nothing(app, alice, sign, raw):
    """Whatever is said again and again, two bytes a time, ends at the door and in a block."""
    before = app.info().app_hash
    stuffed = [encode_tx(raw * 40_000, b"", []), encode_tx(b"", raw * 40_000, []), raw * 40_000]
    for each in stuffed:
        outcome = app.check_tx(each)
        assert (outcome.codespace, outcome.code) == (TxDecode.codespace, TxDecode.code)
    assert [each.code for each in app.finalize_block(LATER, stuffed).outcomes] == [TxDecode.code] * 3
    app.commit()
    assert app.info().app_hash == before
    assert app.pending_account(alice.address.raw).sequence == 0
    assert remembered(app) == set()


def test_h75_refused_coins_are_not_told_in_full(app, alice, bob, sign):
    message = AnyMessage(MSG_SEND, encode_send(alice.address.text, bob.address.text, MANY[::-1]))
    outcome = app.check_tx(sign([message]))
    assert (outcome.codespace, outcome.code) == (InvalidSdkCoins.codespace, InvalidSdkCoins.code)
    assert len(outcome.log) < 500


def test_h75_a_query_reads_so_much_and_no_more(app, monkeypatch):
    """Anybody may ask for the whole of a list, or have it counted."""
    path, everything = "/cosmos.bank.v1beta1.Query/TotalSupply", query_pb2.QueryTotalSupplyRequest()
    one = query_pb2.QueryTotalSupplyRequest()
    one.pagination.limit = 1
    assert app.grpc(path, everything.SerializeToString())
    monkeypatch.setattr(host_app, "QUERY_GAS", 150)  # two entries: 30 each, and 3 for each of their 14 bytes
    answer = query_pb2.QueryTotalSupplyResponse.FromString(app.grpc(path, one.SerializeToString()))
    assert [each.denom for each in answer.supply] == ["aatom"]
    with pytest.raises(OutOfGas):
        app.grpc(path, everything.SerializeToString())
    assert app.query(path, everything.SerializeToString()).code == 6
    assert app.export_genesis()["bank"]


SPARE = b"\x0a\x00" * 240
"""A field again and again: 480 of the elements that a message alone may have beyond its bytes."""


def spoilt(alice, bob, number):
    """A payment that is right and not in canonical form."""
    own = encode_send(alice.address.text, bob.address.text, (coin("stake", number),))
    return AnyMessage(MSG_SEND, SPARE + own)


def test_h60_a_transaction_has_one_budget_for_all_of_its_messages(app, alice, bob, sign, monkeypatch):
    """Each of many small ones had one: half a second a megabyte, for whoever comes."""
    counted, read = [], walk.read_field
    monkeypatch.setattr(walk, "read_field", lambda *given: counted.append(1) or read(*given))
    before = app.info().app_hash
    raw = sign([spoilt(alice, bob, number) for number in range(1, 301)])
    told = (TxDecode.codespace, TxDecode.code)
    for verdict in (app.check_tx(raw), app.simulate(raw), *app.finalize_block(LATER, [raw]).outcomes):
        assert (verdict.codespace, verdict.code) == told
    most = len(raw) / (BYTES_AN_ELEMENT * ELEMENTS_OF_A_FIELD) + FREE_ELEMENTS / ELEMENTS_OF_A_FIELD
    assert len(counted) <= 3 * (most + 1)
    app.commit()
    assert app.info().app_hash == before
    assert app.pending_account(alice.address.raw).sequence == 0


def test_h60_one_message_of_a_transaction_need_not_be_canonical(app, alice, bob, sign):
    """As ibc-go takes it: what random walks spoil stays below."""
    others = [
        AnyMessage(MSG_SEND, encode_send(alice.address.text, bob.address.text, (coin("stake", 2),)))
    ] * 9
    raw = sign([spoilt(alice, bob, 5), *others], fee=FEE)
    assert app.check_tx(raw).code == 0
    assert [each.code for each in app.finalize_block(LATER, [raw]).outcomes] == [0]


def test_h75_who_gets_a_multi_send_is_read_when_somebody_has_signed(app, alice, sign, monkeypatch):
    """An address costs as much as a hundred bytes: many cost a quarter of a second a megabyte."""
    read = []
    monkeypatch.setattr(bank_send, "payout", lambda *given: read.append(1) or payout(*given))
    decoded, ask = [], app.addresses._decode
    monkeypatch.setattr(app.addresses, "_remembered", lambda text: decoded.append(text) or ask(text))
    built = MsgMultiSend()
    built.inputs.add(address=alice.address.text).coins.add(denom="stake", amount="300")
    for number in range(300):
        receiver = app.addresses.encode(number.to_bytes(4, "big")).text
        built.outputs.add(address=receiver).coins.add(denom="stake", amount="1")
    raw = sign([AnyMessage(MSG_MULTI_SEND, built.SerializeToString())], chain_id="another-1", fee=FEE)
    outcome = app.check_tx(raw)
    assert (outcome.codespace, outcome.code) == (UnauthorizedTx.codespace, UnauthorizedTx.code)
    assert (read, set(decoded)) == ([], {alice.address.text})
    assert app.pending_account(alice.address.raw).sequence == 0
    paid = {"fee": (coin("stake", 100_000),), "gas_limit": 100_000_000}
    good = sign([AnyMessage(MSG_MULTI_SEND, built.SerializeToString())], **paid)
    assert [each.code for each in app.finalize_block(LATER, [good]).outcomes] == [0]
    assert read == [1]


def test_h75_messages_of_too_many_signers_are_not_all_read(app, bob, sign, monkeypatch):
    read, route = [], TxRunner._route
    monkeypatch.setattr(TxRunner, "_route", lambda self, *given: read.append(1) or route(self, *given))
    texts = [app.addresses.encode(number.to_bytes(4, "big")).text for number in range(300)]
    messages = [
        AnyMessage(MSG_SEND, encode_send(each, bob.address.text, (coin("stake", 1),))) for each in texts
    ]
    before = app.info().app_hash
    raw = sign(messages, fee=FEE)
    for outcome in (app.check_tx(raw), app.simulate(raw), *app.finalize_block(LATER, [raw]).outcomes):
        assert (outcome.codespace, outcome.code) == (TooManySignatures.codespace, TooManySignatures.code)
    assert len(read) == 3 * (HostConfig("a").limits.signatures + 1)
    app.commit()
    assert app.info().app_hash == before


@pytest.mark.parametrize(
    "coins",
    [
        [("stake", "1")],
        [("atom", "12"), ("stake", "340")],
        [("ibc/AB", "1" * 77), ("stake", "9")],
        [("stake", "0x10")],
        [("stake", "010")],
        [("stake", "1" * 78)],
    ],
)
def test_coins_that_wallets_write_are_read_as_all_others(coins, monkeypatch):
    quick = parse_coins([PbCoin(denom=denom, amount=amount) for denom, amount in coins])
    monkeypatch.setattr(bank_send, "_plain", lambda _: None)
    assert parse_coins([PbCoin(denom=denom, amount=amount) for denom, amount in coins]) == quick
    assert [(each.denom, each.amount) for each in quick] == [(d, parse_amount(a)) for d, a in coins]
    assert [each.text for each in quick] == [f"{each.amount}{each.denom}" for each in quick]


@pytest.mark.parametrize(
    ("coins", "error"),
    [
        ([], InvalidSdkCoins),
        ([("stake", "")], InvalidSdkCoins),
        ([("stake", "1"), ("atom", "1")], InvalidSdkCoins),
        ([("stake", "1"), ("stake", "1")], InvalidSdkCoins),
        ([("3abc", "12")], InvalidSdkCoins),
        ([("bc", "1a")], TxDecode),
        ([("abc\n1def", "1")], InvalidSdkCoins),
        ([("stake", "1\n")], TxDecode),
        ([("stake\n", "1")], InvalidSdkCoins),
    ],
)
def test_coins_that_nobody_writes_are_refused(coins, error):
    with pytest.raises(error):
        parse_coins([PbCoin(denom=denom, amount=amount) for denom, amount in coins])
