"""The tiny host: its envelopes have one form and run once, and its transactions do all or nothing."""

from itertools import count

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.signing import SigningKey

from ibc_module import hookimpl
from ibc_module.plugin import Config
from pyibc.codec.anys import AnyMessage
from pyibc.core.address import AddressCodec, module_address
from pyibc.core.coin import coin
from pyibc.core.errors import (
    InsufficientBalance,
    InvalidAddress,
    InvalidSdkCoins,
    LogicFault,
    TxDecode,
    TxTooLarge,
    UnauthorizedTx,
    UnknownMessage,
    UnknownRequest,
    WrongSequence,
)
from pyibc.core.host.context import MessageRoute
from pyibc.core.numbers import MAX_U256
from pyibc.default_plugins import plugins
from pyibc.examples.tinychain import TinyBank, TinyChain
from pyibc.examples.tinychain.bank import SEND, send_message
from pyibc.examples.tinychain.endpoint import TinyEndpoint
from pyibc.examples.tinychain.envelope import MAX_BYTES, Body, Call, Envelope, open_envelope, sign
from pyibc.relayer.errors import EndpointRefused
from tests.sampling import rounds

TINY = AddressCodec("tiny")
KEY = SigningKey(b"k" * 32)
SIGNED = sign(KEY, "tiny-1", 0, [AnyMessage("/x", b"\x00\x01")])


def make_chain(*extra, coins=1000) -> tuple[TinyChain, TinyEndpoint, TinyEndpoint]:
    bank = TinyBank(TINY)
    seconds = count(1_700_000_000)
    ends = [TinyEndpoint(None, bytes([n]) * 32, TINY) for n in (1, 2)]
    genesis = {"coins": {ends[0].signer: {"grain": coins}}}
    parts = [bank, *extra, *plugins(Config(account_prefix="tiny"))]
    chain = TinyChain("tiny-1", parts, genesis, [b"v" * 32], lambda: next(seconds) * 10**9)
    for end in ends:
        end.chain = chain
    return chain, *ends


def balances(chain: TinyChain) -> dict:
    return chain.pipeline.export_genesis(chain.reader())["coins"]


@settings(deadline=None, max_examples=rounds(75, 300))
@given(st.integers(0, len(SIGNED) - 1), st.integers(1, 255))
def test_no_byte_of_an_envelope_can_change(at, change):
    changed = bytearray(SIGNED)
    changed[at] ^= change
    with pytest.raises((TxDecode, UnauthorizedTx)):
        open_envelope(bytes(changed), "tiny-1")


@settings(deadline=None, max_examples=rounds(50, 200))
@given(st.binary(max_size=80))
def test_bytes_are_an_envelope_or_refused(raw):
    with pytest.raises(TxDecode):
        open_envelope(raw, "tiny-1")


BODY = SIGNED.split(b',"signature"')[0]


@pytest.mark.parametrize(
    "raw",
    [
        SIGNED + b" ",
        b" " + SIGNED,
        SIGNED.replace(b'"nonce":0', b'"nonce": 0'),
        SIGNED.replace(b'"nonce":0', b'"nonce":0,"nonce":0'),
        SIGNED.replace(b'"nonce":0', b'"nonce":-0'),
        SIGNED.replace(b'"nonce":0', b'"nonce":0.0'),
        SIGNED.replace(b'"nonce":0', b'"nonce":9223372036854775808'),
        SIGNED.replace(b'"nonce":0', b'"memo":"","nonce":0'),
        SIGNED.replace(b"/x", rb"\u002fx"),
        SIGNED.replace(b"/x", b"\xff\xfe"),
        BODY + b"}",
        b"[" * 100_000,
    ],
)
def test_another_spelling_is_refused(raw):
    with pytest.raises(TxDecode):
        open_envelope(raw, "tiny-1")


def test_an_envelope_for_another_chain():
    with pytest.raises(UnauthorizedTx, match="tiny-1"):
        open_envelope(SIGNED, "tiny-2")


def test_an_envelope_without_calls():
    with pytest.raises(TxDecode):
        open_envelope(sign(KEY, "tiny-1", 0, []), "tiny-1")


def test_a_signature_of_something_else():
    body = Body("tiny-1", 0, bytes(KEY.verify_key), [Call("/x", b"")])
    plain = KEY.sign(msgspec.json.encode(body)).signature  # without the domain
    for signature in (plain, b"", plain[:63], plain + b"\x00"):
        with pytest.raises(UnauthorizedTx):
            open_envelope(msgspec.json.encode(Envelope(body, signature)), "tiny-1")


def test_a_key_of_another_length():
    body = Body("tiny-1", 0, b"short", [Call("/x", b"")])
    with pytest.raises(UnauthorizedTx):
        open_envelope(msgspec.json.encode(Envelope(body, b"s" * 64)), "tiny-1")


def test_too_large():
    with pytest.raises(TxTooLarge):
        open_envelope(b"{" * (MAX_BYTES + 1), "tiny-1")


def test_a_transaction_runs_once():
    chain, alice, bob = make_chain()
    alice.submit([send_message(alice.signer, bob.signer, "grain", 10)])
    raw = chain.last.txs[0].tx
    with pytest.raises(WrongSequence):
        chain.check_tx(raw)
    chain._waiting.append(raw)  # a proposer that does not check
    outcome = chain.make_block().txs[0]
    assert (outcome.codespace, outcome.code) == ("sdk", WrongSequence.code)
    assert balances(chain) == {alice.signer: {"grain": 990}, bob.signer: {"grain": 10}}


def test_two_transactions_wait_for_one_block():
    chain, alice, bob = make_chain()
    for nonce in range(2):
        assert chain.next_nonce(alice.address.raw) == nonce
        message = send_message(alice.signer, bob.signer, "grain", 1)
        chain.check_tx(sign(alice._key, "tiny-1", nonce, [message]))
    assert [outcome.code for outcome in chain.make_block().txs] == [0, 0]


def test_all_messages_or_none():
    chain, alice, bob = make_chain()
    good = send_message(alice.signer, bob.signer, "grain", 10)
    bad = send_message(alice.signer, bob.signer, "grain", 991)
    outcome = alice.submit([good, bad])
    assert (outcome.code, outcome.events) == (InsufficientBalance.code, ())
    assert balances(chain) == {alice.signer: {"grain": 1000}}
    assert chain.next_nonce(alice.address.raw) == 1


def some(sender="alice", receiver="bob", denom="grain", amount="1"):
    def make(alice, bob):
        names = {"alice": alice.signer, "bob": bob.signer}
        parts = [names.get(sender, sender), names.get(receiver, receiver), denom, amount]
        return AnyMessage(SEND, msgspec.json.encode(dict(zip(SENDS, parts, strict=True))))

    return make


SENDS = ("sender", "receiver", "denom", "amount")


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (some(sender="bob", receiver="alice"), UnauthorizedTx),
        (some(receiver="cosmos1qqqq"), InvalidAddress),
        (some(sender="nobody"), InvalidAddress),
        (some(amount="-1"), InvalidSdkCoins),
        (some(amount=""), InvalidSdkCoins),
        (some(amount="1" * 79), InvalidSdkCoins),
        (some(denom="x"), InvalidSdkCoins),
        (lambda *_: AnyMessage(SEND, b"{}"), TxDecode),
        (lambda *_: AnyMessage(SEND, b'"\xff"'), TxDecode),
        (lambda *_: AnyMessage("/nobody.Knows", b""), UnknownMessage),
    ],
)
def test_a_refused_message(message, error):
    chain, alice, bob = make_chain()
    with pytest.raises(error):
        alice.submit([message(alice, bob)])
    chain.make_block()
    assert balances(chain) == {alice.signer: {"grain": 1000}}
    assert chain.next_nonce(alice.address.raw) == 0


def test_a_module_account_receives_nothing():
    chain, alice, _ = make_chain()
    blocked = TINY.encode(module_address("transfer")).text
    assert alice.submit([send_message(alice.signer, blocked, "grain", 1)]).code == UnauthorizedTx.code
    assert balances(chain) == {alice.signer: {"grain": 1000}}


def test_a_balance_stays_within_256_bits():
    chain, alice, _ = make_chain(coins=MAX_U256)
    ctx = chain._context(0)
    with pytest.raises(LogicFault):
        chain.pipeline.bank().mint(ctx, alice.address, coin("grain", 1))
    assert not ctx.writes("coins")


def test_coins_to_oneself():
    chain, alice, _ = make_chain()
    assert alice.submit([send_message(alice.signer, alice.signer, "grain", 7)]).code == 0
    assert balances(chain) == {alice.signer: {"grain": 1000}}


class Proposals:
    """A plugin with an opinion on blocks, and a door of its own."""

    def __init__(self):
        self.accept = True
        self.committed = []

    @hookimpl
    def chain_check_tx(self, ctx, messages, recheck):
        if any(each.message.amount.amount == 13 for each in messages if each.type_url == SEND):
            raise UnauthorizedTx("unlucky")

    @hookimpl
    def chain_prepare_proposal(self, ctx, txs):
        return list(reversed(txs))

    @hookimpl
    def chain_process_proposal(self, ctx, txs):
        return self.accept

    @hookimpl
    def chain_committed(self, block):
        self.committed.append(block.height)


def test_the_whole_pipeline_is_called():
    plugin = Proposals()
    chain, alice, bob = make_chain(plugin)
    with pytest.raises(UnauthorizedTx, match="unlucky"):
        alice.submit([send_message(alice.signer, bob.signer, "grain", 13)])
    assert chain.next_nonce(alice.address.raw) == 0
    alice.submit([send_message(alice.signer, bob.signer, "grain", 10)])
    raws = [
        sign(alice._key, "tiny-1", 1, [send_message(alice.signer, bob.signer, "grain", 1)]),
        sign(bob._key, "tiny-1", 0, [send_message(bob.signer, alice.signer, "grain", 2)]),
    ]
    for raw in raws:
        chain.check_tx(raw)
    assert [outcome.tx for outcome in chain.make_block().txs] == raws[::-1]
    plugin.accept = False
    chain.check_tx(sign(bob._key, "tiny-1", 1, [send_message(bob.signer, alice.signer, "grain", 2)]))
    assert chain.make_block().txs == ()
    assert plugin.committed == [1, 2, 3, 4]


class Broken:
    """A plugin whose one message raises `error`."""

    def __init__(self, error, signer):
        self.error, self.signer = error, signer

    @hookimpl
    def chain_messages(self):
        return {"/bug": MessageRoute(bytes, lambda _: (self.signer(),), self.fail, "/bugResponse")}

    def fail(self, _ctx, _message):
        raise self.error


def test_a_plugin_s_bug_fails_its_transaction():
    chain, alice, _ = make_chain(Broken(KeyError("bug"), lambda: alice.address.raw))
    outcome = alice.submit([AnyMessage("/bug", b"")])
    assert (outcome.codespace, outcome.code) == ("undefined", 111_222)
    assert "bug'" not in outcome.log
    assert chain.store.version == 2


def test_an_error_of_the_machine_stops_the_chain():
    chain, alice, _ = make_chain(Broken(MemoryError(), lambda: alice.address.raw))
    with pytest.raises(MemoryError):
        alice.submit([AnyMessage("/bug", b"")])
    assert chain.store.version == 1


def test_the_endpoint_refuses_what_is_not_there():
    chain, alice, _ = make_chain()
    for ask in (alice.block, alice.light_block):
        for height in (0, 2):
            with pytest.raises(EndpointRefused):
                ask(height)
    with pytest.raises(EndpointRefused):
        alice.prove(b"x", 7)
    with pytest.raises(UnknownRequest):
        alice.grpc("/nobody/Knows", b"")
    alice.wait(3)
    assert alice.tip().height == chain.last.height == 3


def test_two_chains_agree():
    def history():
        chain, alice, bob = make_chain()
        alice.submit([send_message(alice.signer, bob.signer, "grain", 10)])
        chain.make_block()
        return [(block.app_hash, signed.header, signed.commit) for block, signed in rows(chain)]

    def rows(chain):
        return zip(chain.blocks, chain.consensus.headers, strict=True)

    assert history() == history()
