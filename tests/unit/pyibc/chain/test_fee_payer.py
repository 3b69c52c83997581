"""Whoever a transaction names pays its fee, in whatever letters the address is written."""

import pytest

from localnet.settings import funded
from pyibc.chain.accounts.keeper import decode_account
from pyibc.chain.app import HostApp
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.chain.config import HostConfig
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.crypto import secp256k1
from pyibc.core.wire.tx import DIRECT, Fee, SignerInfo, encode_auth_info, encode_body, encode_tx, sign_bytes
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from pyibc.relayer.money.wallet import Wallet

START_NS = 1_700_000_000_000_000_000
CAROL = Wallet.from_seed("carol", "cosmos")


@pytest.fixture
def app(alice, bob):
    """Alice's account has the number 0, Bob's 1; Carol has none."""
    app = HostApp(HostConfig("chain-1"))
    app.init_chain(START_NS, funded([(each.address.text, [coin("stake", 1_000)]) for each in (alice, bob)]))
    app.finalize_block(START_NS, [])
    app.commit()
    return app


def deliver(app, raw):
    outcome = app.finalize_block(START_NS + 1, [raw]).outcomes[0]
    app.commit()
    return outcome


def state_of(app):
    return {name: list(app.store.store(name).iterate()) for name in app.store.names()}


def stake_of(app, wallet):
    return app.bank.balance(app.query_context(), wallet.address.raw, "stake")


def signed_by(wallets, messages, payer):
    """Signed by the wallets, whose accounts' numbers are 0, 1; the fee is 70stake."""
    infos = []
    for each in wallets:
        key = PubKey(key=each.public_key).SerializeToString()
        infos.append(SignerInfo(AnyMessage(secp256k1.TYPE_URL, key), DIRECT, 0))
    body = encode_body(messages)
    auth = encode_auth_info(infos, Fee((coin("stake", 70),), 1_000_000, payer))
    signatures = [
        each._key.sign(sign_bytes(body, auth, "chain-1", number)) for number, each in enumerate(wallets)
    ]
    return encode_tx(body, auth, signatures)


@pytest.mark.parametrize("write", [str.lower, str.upper])
@pytest.mark.parametrize("sends", [0, 3])
def test_h72_the_payer_pays_however_the_address_is_written(app, alice, bob, send, write, sends):
    """Whether the payer signs a message as well, or only for the fee."""
    messages = [send(5, receiver=CAROL)]
    messages += [send(sends, sender=bob, receiver=CAROL)] if sends else []
    raw = signed_by([alice, bob], messages, write(bob.address.text))
    assert app.check_tx(raw).code == 0
    outcome = deliver(app, raw)
    assert outcome.code == 0, outcome.log
    assert ("tx", (("fee", "70stake"), ("fee_payer", bob.address.text))) in outcome.events
    assert [stake_of(app, each) for each in (alice, bob, CAROL)] == [995, 930 - sends, 5 + sends]


def test_h72_the_first_signer_pays_where_nobody_is_named(app, alice, bob, send):
    raw = signed_by([alice, bob], [send(5, receiver=CAROL), send(3, sender=bob, receiver=CAROL)], "")
    assert deliver(app, raw).code == 0
    assert [stake_of(app, each) for each in (alice, bob, CAROL)] == [925, 997, 8]


@pytest.mark.parametrize("write", [str.lower, str.upper])
def test_h72_nobody_pays_who_has_not_signed(app, alice, bob, send, write):
    raw, before = signed_by([alice], [send()], write(bob.address.text)), state_of(app)
    for outcome in (app.check_tx(raw), deliver(app, raw)):
        assert (outcome.codespace, outcome.code) == ("sdk", 4)
        assert "wrong number of signers; expected 2, got 1" in outcome.log
    assert state_of(app) == before


def test_h72_an_account_has_one_text_whoever_wrote_it_first(app, alice, sign):
    """The account that a send to an address in upper case makes, and the events that tell of it."""
    message = encode_send(alice.address.text.upper(), CAROL.address.text.upper(), (coin("stake", 1),))
    outcome = deliver(app, sign([AnyMessage(MSG_SEND, message)]))
    assert outcome.code == 0, outcome.log
    stored = app.store.store("acc").get(b"\x01" + CAROL.address.raw)
    assert decode_account(stored).address == CAROL.address.text
    told = {value for _, pairs in outcome.events for _, value in pairs}
    assert {CAROL.address.text, alice.address.text} <= told
    assert not {CAROL.address.text.upper(), alice.address.text.upper()} & told
