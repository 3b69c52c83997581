"""Every refusal of the ante by name, in CheckTx and in a block, with the state unchanged."""

import pytest

from ibc_module import hookimpl
from pyibc.chain.app import HostApp
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.chain.config import GasPrices, HostConfig, TxLimits
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.crypto import secp256k1
from pyibc.core.errors import NotSupported, TxTimeout
from pyibc.core.host.context import MessageRoute
from pyibc.core.wire.tx import DIRECT, Fee, SignerInfo, encode_auth_info, encode_body, encode_tx, sign_bytes
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2
from pyibc.relayer.money.wallet import Wallet

RULES = HostConfig(
    "chain-1", gas=GasPrices(micro=1_000), limits=TxLimits(tx_bytes=3_000, messages=3), block_gas=5_000_000
)
FEE = (coin("stake", 1_000),)


@pytest.fixture
def app(genesis):
    app = HostApp(RULES)
    app.init_chain(genesis.time_ns, genesis.app_state)
    app.finalize_block(genesis.time_ns, [])
    app.commit()
    return app


def state_of(app):
    return {name: list(app.store.store(name).iterate()) for name in app.store.names()}


def deliver(app, raw):
    outcome = app.finalize_block(1_700_000_001_000_000_000, [raw]).outcomes[0]
    app.commit()
    return outcome


def expect(outcome, codespace, code, text):
    assert (outcome.codespace, outcome.code) == (codespace, code), outcome.log
    assert text in outcome.log
    assert outcome.events == ()


GOOD_FEE = Fee(FEE, 1_000_000)


def key_any(type_url, key):
    return AnyMessage(type_url, PubKey(key=key).SerializeToString())


def odd_body(message, **fields):
    body = tx_pb2.TxBody(**fields)
    body.messages.add(type_url=message.type_url, value=message.value)
    return body.SerializeToString()


def by_hand(wallet, messages, *, mode=DIRECT, key=None, signatures=None, fee=GOOD_FEE, infos=1, body=None):
    """A transaction that the wallet would not make."""
    body_bytes = body or encode_body(messages)
    given = key or key_any(secp256k1.TYPE_URL, wallet.public_key)
    auth = encode_auth_info([SignerInfo(given, mode, 0)] * infos, fee)
    good = wallet._key.sign(sign_bytes(body_bytes, auth, "chain-1", 0))
    return encode_tx(body_bytes, auth, [good] if signatures is None else signatures)


CASES = {
    "tx_size": (lambda t: t.sign(memo="x" * 3_000, fee=FEE), "sdk", 21, "exceeds 3000"),
    "not_protobuf": (lambda t: b"\xff\xff\xff", "sdk", 2, "malformed"),
    "empty": (lambda t: b"", "sdk", 18, "at least one message"),
    "trailing_field": (lambda t: t.sign(fee=FEE) + b"\x22\x01a", "sdk", 2, "cannot decode"),
    "no_message": (lambda t: by_hand(t.alice, []), "sdk", 18, "at least one message"),
    "four_messages": (lambda t: t.sign([t.send()] * 4, fee=FEE), "sdk", 18, "4 messages; the limit is 3"),
    "unknown_message": (
        lambda t: t.sign([AnyMessage("/a.b.C", b"")], fee=FEE),
        "sdk",
        2,
        "unable to resolve type URL '/a.b.C'",
    ),
    "memo": (lambda t: t.sign(memo="é" * 129, fee=FEE), "sdk", 12, "258 bytes exceeds 256"),
    "timeout_height": (
        lambda t: t.sign(timeout_height=1, fee=FEE),
        "sdk",
        30,
        "block height: 2, timeout height: 1",
    ),
    "no_gas": (lambda t: t.sign(gas_limit=0, fee=FEE), "sdk", 11, "gasWanted: 0, gasUsed: "),
    "gas_beyond_block": (lambda t: t.sign(gas_limit=5_000_001, fee=FEE), "sdk", 41, "5000001"),
    "gas_beyond_int64": (lambda t: t.sign(gas_limit=2**63, fee=FEE), "sdk", 41, str(2**63)),
    "out_of_gas_in_ante": (
        lambda t: t.sign(gas_limit=1_000, fee=FEE),
        "sdk",
        11,
        "gasWanted: 1000, gasUsed: ",
    ),
    "fee_unsorted": (lambda t: t.sign(fee=(coin("stake", 1), coin("atom", 1))), "sdk", 13, "valid coins"),
    "fee_zero": (lambda t: t.sign(fee=(coin("stake", 0),)), "sdk", 13, "valid coins"),
    "fee_not_there": (lambda t: t.sign(fee=(*FEE[:0], coin("atom", 5), *FEE)), "sdk", 5, "needs 5atom"),
    "granter": (
        lambda t: by_hand(t.alice, [t.send()], fee=Fee(FEE, 10**6, granter="x")),
        "sdk",
        18,
        "grants",
    ),
    "payer_not_bech32": (
        lambda t: by_hand(t.alice, [t.send()], fee=Fee(FEE, 10**6, payer="x")),
        "sdk",
        7,
        "fee payer",
    ),
    "payer_not_signing": (
        lambda t: by_hand(t.alice, [t.send()], fee=Fee(FEE, 10**6, payer=t.bob.address.text)),
        "sdk",
        4,
        "expected 2, got 1",
    ),
    "sign_mode": (lambda t: by_hand(t.alice, [t.send()], mode=2), "sdk", 4, "sign mode"),
    "amino, signed direct": (lambda t: by_hand(t.alice, [t.send()], mode=127), "sdk", 4, "verification"),
    "unordered": (
        lambda t: by_hand(t.alice, [], body=odd_body(t.send(), unordered=True)),
        "sdk",
        37,
        "unordered transactions are not enabled: feature not supported",
    ),
    "extension": (
        lambda t: by_hand(
            t.alice,
            [],
            body=odd_body(t.send(), extension_options=[{"type_url": t.send().type_url, "value": b""}]),
        ),
        "sdk",
        2,
        "is not a registered extension option",
    ),
    "non_critical_extension": (
        lambda t: by_hand(
            t.alice,
            [],
            body=odd_body(
                t.send(), non_critical_extension_options=[{"type_url": t.send().type_url, "value": b""}]
            ),
        ),
        "sdk",
        2,
        "is not a registered extension option",
    ),
    "no_signatures": (lambda t: by_hand(t.alice, [t.send()], signatures=[]), "sdk", 15, "no signatures"),
    "two_signatures": (
        lambda t: by_hand(t.alice, [t.send()], signatures=[b"a", b"b"]),
        "sdk",
        4,
        "expected 1, got 2",
    ),
    "eight_signatures": (
        lambda t: by_hand(t.alice, [t.send()], signatures=[b"a"] * 8),
        "sdk",
        4,
        "expected 1, got 8",
    ),
    "two_infos": (
        lambda t: by_hand(t.alice, [t.send()], infos=2),
        "sdk",
        2,
        "expected 1 signer infos, got 2",
    ),
    "unknown_account": (
        lambda t: t.sign([t.send(sender=t.carol)], wallet=t.carol, fee=FEE),
        "sdk",
        9,
        "not found: unknown address",
    ),
    "foreign_key": (lambda t: t.sign(wallet=t.carol, fee=FEE), "sdk", 8, "does not match"),
    "key_off_curve": (
        lambda t: by_hand(t.alice, [t.send()], key=key_any(secp256k1.TYPE_URL, b"\x05" * 33)),
        "sdk",
        8,
        "not a compressed",
    ),
    "ed25519_key": (
        lambda t: by_hand(t.alice, [t.send()], key=key_any("/cosmos.crypto.ed25519.PubKey", b"\x05" * 32)),
        "sdk",
        8,
        "type",
    ),
    "wrong_account_number": (lambda t: t.sign(account_number=7, fee=FEE), "sdk", 4, "account number (0)"),
    "wrong_chain_id": (lambda t: t.sign(chain_id="chain-2", fee=FEE), "sdk", 4, "chain-id (chain-1)"),
    "wrong_sequence": (
        lambda t: t.sign(sequence=3, fee=FEE),
        "sdk",
        32,
        "account sequence mismatch, expected 0, got 3",
    ),
    "signature_63_bytes": (
        lambda t: by_hand(t.alice, [t.send()], signatures=[b"a" * 63]),
        "sdk",
        4,
        "verification failed",
    ),
}


@pytest.fixture
def tools(alice, bob, send, sign):
    class Tools:
        carol = Wallet.from_seed("carol", "cosmos")

    Tools.alice, Tools.bob, Tools.send, Tools.sign = alice, bob, staticmethod(send), staticmethod(sign)
    return Tools


@pytest.mark.parametrize("name", CASES)
def test_refused_by_name_and_nothing_written(app, tools, name):
    make, codespace, code, text = CASES[name]
    raw, before = make(tools), state_of(app)
    expect(app.check_tx(raw), codespace, code, text)
    assert app.pending_account(tools.alice.address.raw).sequence == 0
    expect(deliver(app, raw), codespace, code, text)
    assert state_of(app) == before


def no_key(wallet, messages):
    """A transaction that leaves the key to the account."""
    body, auth = encode_body(messages), encode_auth_info([SignerInfo(None, DIRECT, 0)], GOOD_FEE)
    return encode_tx(body, auth, [wallet._key.sign(sign_bytes(body, auth, "chain-1", 0))])


def test_a_key_must_be_given_once(app, tools, alice, send):
    expect(
        app.check_tx(no_key(alice, [send()])), "sdk", 8, "has no public key yet; set one in the signer info"
    )
    assert deliver(app, by_hand(alice, [send()])).code == 0
    body, auth = encode_body([send()]), encode_auth_info([SignerInfo(None, DIRECT, 1)], GOOD_FEE)
    signature = alice._key.sign(sign_bytes(body, auth, "chain-1", 0))
    assert deliver(app, encode_tx(body, auth, [signature])).code == 0


def test_a_tip_is_refused(app, alice, send):
    auth = tx_pb2.AuthInfo.FromString(
        encode_auth_info([SignerInfo(key_any(secp256k1.TYPE_URL, alice.public_key), DIRECT, 0)], GOOD_FEE)
    )
    auth.tip.tipper = "x"
    body, raw = encode_body([send()]), auth.SerializeToString()
    signature = alice._key.sign(sign_bytes(body, raw, "chain-1", 0))
    expect(app.check_tx(encode_tx(body, raw, [signature])), "sdk", NotSupported.code, "tips")


def until_time(wallet, send, time_ns):
    body = tx_pb2.TxBody.FromString(encode_body([send()]))
    body.timeout_timestamp.seconds, body.timeout_timestamp.nanos = divmod(time_ns, 10**9)
    return by_hand(wallet, [], body=body.SerializeToString())


def test_a_timeout_in_time_by_the_block(app, alice, send):
    last, block = 1_700_000_000_000_000_000, 1_700_000_001_000_000_000  # of the genesis, and `deliver`
    late = until_time(alice, send, last - 1)
    expect(app.check_tx(late), "sdk", 42, f"timeout timestamp: {last - 1}: tx timeout")
    assert app.check_tx(until_time(alice, send, last)).code == 0
    expect(deliver(app, until_time(alice, send, block - 1)), "sdk", 42, f"block time: {block}, ")
    assert deliver(app, until_time(alice, send, block)).code == 0


def test_recheck_evicts_what_came_too_late(app, alice, send):
    raw = until_time(alice, send, 1_700_000_000_000_000_000)
    assert app.check_tx(raw).code == 0
    app.finalize_block(1_700_000_001_000_000_000, [])
    app.commit()
    expect(app.check_tx(raw, recheck=True), TxTimeout.codespace, TxTimeout.code, "tx timeout")


def test_more_signers_than_a_transaction_may_have(app, alice, send):
    many = [Wallet.from_seed(f"signer {number}", "cosmos") for number in range(7)]
    rules = HostConfig("chain-1", limits=TxLimits(messages=8))
    other = HostApp(rules)
    other.init_chain(1_700_000_000_000_000_000, {})
    raw = by_hand(alice, [send(), *(send(sender=each) for each in many)], signatures=[b"a"] * 8, infos=8)
    expect(other.check_tx(raw), "sdk", 14, "at most 7")


def test_the_last_block_that_a_timeout_allows(app, sign):
    assert deliver(app, sign(timeout_height=2, fee=FEE)).code == 0


def test_a_gas_limit_fits_int64_where_blocks_have_none(genesis, sign):
    app = HostApp(HostConfig("chain-1", block_gas=-1))
    app.init_chain(genesis.time_ns, genesis.app_state)
    expect(app.check_tx(sign(gas_limit=2**63)), "sdk", 18, str(2**63))


def test_h275_a_transaction_declares_so_much_gas_and_no_more(genesis, sign):
    """Where blocks have no limit either; in a block the sender's sequence stays."""
    app = HostApp(HostConfig("chain-1", block_gas=-1))
    app.init_chain(genesis.time_ns, genesis.app_state)
    raw = sign(gas_limit=10_000_000_001)
    expect(app.check_tx(raw), "sdk", 41, "10000000001 exceeds 10000000000")
    good = sign(gas_limit=10_000_000_000)
    assert app.check_tx(good).code == 0
    outcomes = app.finalize_block(genesis.time_ns, [raw, good]).outcomes
    assert [(each.codespace, each.code) for each in outcomes] == [("sdk", 41), ("", 0)]


def gas_used(genesis, raw, **prices):
    app = HostApp(HostConfig("chain-1", gas=GasPrices(**prices)))
    app.init_chain(genesis.time_ns, genesis.app_state)
    return app.finalize_block(genesis.time_ns, [raw]).outcomes[0].gas_used


def test_bytes_and_signatures_cost_gas(genesis, sign):
    raw = sign()
    used = gas_used(genesis, raw)
    assert used - gas_used(genesis, raw, tx_byte=0) == 10 * len(raw)
    assert used - gas_used(genesis, raw, signature=0) == 1_000


class NobodySigns:
    """A plugin with a message that names no signer."""

    @hookimpl
    def chain_messages(self):
        return {
            "/no.Body": MessageRoute(lambda raw: raw, lambda _: (), lambda _ctx, _msg: b"", "/no.Response")
        }


def test_a_message_without_a_signer_is_refused(genesis, sign):
    app = HostApp(HostConfig("chain-1"), [NobodySigns()])
    app.init_chain(genesis.time_ns, genesis.app_state)
    expect(app.check_tx(sign([AnyMessage("/no.Body", b"")])), "sdk", 15, "no signatures")


@pytest.mark.parametrize("denoms", [("b/b", "a/a"), ("a/a", "a/a"), ("1a",), ()])
def test_coins_of_a_send(app, alice, bob, sign, denoms):
    coins = tuple(coin(denom, 1) for denom in denoms)
    message = AnyMessage(MSG_SEND, encode_send(alice.address.text, bob.address.text, coins))
    expect(app.check_tx(sign([message], fee=FEE)), "sdk", 10, "invalid coins")


def test_a_low_fee_is_refused_at_the_door_only(app, sign):
    raw = sign(fee=(coin("stake", 999),))
    expect(app.check_tx(raw), "sdk", 13, "insufficient fees; got: 999stake required: 1000stake")
    assert deliver(app, raw).code == 0


def test_a_high_s_signature_is_refused(app, alice, send):
    order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
    raw = by_hand(alice, [send()])
    tx = tx_pb2.TxRaw.FromString(raw)
    low = tx.signatures[0]
    high = low[:32] + (order - int.from_bytes(low[32:], "big")).to_bytes(32, "big")
    assert app.check_tx(raw).code == 0
    expect(app.check_tx(encode_tx(tx.body_bytes, tx.auth_info_bytes, [high])), "sdk", 32, "expected 1")
    expect(deliver(app, encode_tx(tx.body_bytes, tx.auth_info_bytes, [high])), "sdk", 4, "verification")


def test_pending_sequences_count_until_the_commit(app, sign):
    first, second = sign(fee=FEE), sign(sequence=1, fee=FEE)
    expect(app.check_tx(second), "sdk", 32, "expected 0, got 1")
    assert app.check_tx(first).code == 0
    assert app.check_tx(second).code == 0
    expect(app.check_tx(second), "sdk", 32, "expected 2, got 1")
    app.finalize_block(1_700_000_001_000_000_000, [])
    app.commit()
    assert app.check_tx(first).code == 0  # the block held neither


def test_a_recheck_asks_for_no_price_and_no_signature(app, sign):
    raw = sign(fee=(coin("stake", 1),))
    assert app.check_tx(raw, recheck=True).code == 0


def test_a_failed_message_keeps_fee_sequence_and_tx_events(app, alice, bob, send, sign):
    outcome = deliver(app, sign([send(5), send(10**9)], fee=FEE))
    assert (outcome.codespace, outcome.code) == ("sdk", 5)
    assert [kind for kind, _ in outcome.events] == [
        "coin_spent", "coin_received", "transfer", "message", "tx", "tx", "tx",
    ]  # fmt: skip
    ctx = app.query_context(0)
    assert app.accounts.get(ctx, alice.address.raw).sequence == 1
    assert app.bank.balance(ctx, alice.address.raw, "stake") == 10**9 - 1_000
    assert app.bank.balance(ctx, bob.address.raw, "stake") == 0


def test_out_of_gas_in_a_message_keeps_what_the_ante_wrote(app, alice, send, sign):
    outcome = deliver(app, sign([send()], gas_limit=45_000, fee=FEE))
    assert (outcome.codespace, outcome.code) == ("sdk", 11)
    assert outcome.gas_used > outcome.gas_wanted == 45_000
    assert app.accounts.get(app.query_context(0), alice.address.raw).sequence == 1


def test_events_of_a_send(app, alice, bob, send, sign):
    outcome = deliver(app, sign([send(5), send(6)]))
    a, b = alice.address.text, bob.address.text
    assert outcome.code == 0
    assert outcome.events[0] == ("tx", (("acc_seq", f"{a}/0"),))
    assert outcome.events[1][1][0][0] == "signature"
    second = [event for event in outcome.events[2:] if event[1][-1] == ("msg_index", "1")]
    index = ("msg_index", "1")
    action = "/cosmos.bank.v1beta1.MsgSend"
    assert second == [
        ("message", (("action", action), ("sender", a), ("module", "bank"), index)),
        ("coin_spent", (("spender", a), ("amount", "6stake"), index)),
        ("coin_received", (("receiver", b), ("amount", "6stake"), index)),
        ("transfer", (("recipient", b), ("sender", a), ("amount", "6stake"), index)),
        ("message", (("sender", a), index)),
    ]


def test_two_signers_each_sign(app, alice, bob, send, sign):
    deliver(app, sign([send(1_000)]))
    messages = [send(1), send(1, sender=bob, receiver=alice)]
    body = encode_body(messages)
    keys = [
        AnyMessage(secp256k1.TYPE_URL, PubKey(key=w.public_key).SerializeToString()) for w in (alice, bob)
    ]
    auth = encode_auth_info([SignerInfo(keys[0], DIRECT, 1), SignerInfo(keys[1], DIRECT, 0)], Fee((), 10**6))
    number = app.accounts.get(app.query_context(0), bob.address.raw).number
    signatures = [
        wallet._key.sign(sign_bytes(body, auth, "chain-1", account))
        for wallet, account in ((alice, 0), (bob, number))
    ]
    expect(deliver(app, encode_tx(body, auth, signatures[::-1])), "sdk", 4, "verification failed")
    assert deliver(app, encode_tx(body, auth, signatures)).code == 0


def test_a_bug_in_a_message_fails_its_transaction(make_chain, send, sign, monkeypatch):
    chain = make_chain()
    before = chain.height
    monkeypatch.setattr(chain.app.bank, "send_coins", lambda *_: 1 // 0)
    outcome = chain.make_block([sign()]).txs[0]
    assert (outcome.codespace, outcome.code) == ("undefined", 111_222)
    assert "division" not in outcome.log
    assert chain.height == before + 1


def test_an_error_of_the_machine_stops_the_node(make_chain, send, sign, monkeypatch):
    from localnet.errors import ChainHalted

    def exhausted(*_):
        raise MemoryError

    chain = make_chain()
    before = chain.height
    monkeypatch.setattr(chain.app.bank, "send_coins", exhausted)
    with pytest.raises(MemoryError):
        chain.make_block([sign()])
    with pytest.raises(ChainHalted):
        chain.make_block([])
    assert chain.height == before


def test_a_proposal_that_cannot_be_decoded_here_is_refused_and_the_node_lives(
    make_chain, send, sign, monkeypatch
):
    def exhausted(*_):
        raise RecursionError

    chain = make_chain()
    raw = sign()
    monkeypatch.setattr("pyibc.chain.tx.runner.decode_tx", exhausted)
    assert chain.app.process_proposal([raw], 2) is False
    assert chain.app.prepare_proposal([raw], 10_000, 2) == []
    outcome = chain.app.check_tx(raw)
    assert (outcome.codespace, outcome.code) == ("undefined", 111_222)
