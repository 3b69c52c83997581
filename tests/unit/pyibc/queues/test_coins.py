"""[IBC-channels 3.1]: escrow here, vouchers there, redeemed; commit, or rollback on error and timeout."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.kit.outcomes import must
from conformance.kit.queue.pair import QueuePair
from conformance.kit.refusals import expect_refusal
from conformance.kit.staged_block import StagedBlock
from pyibc.core.address import module_address
from pyibc.core.errors import (
    DenomNotFound,
    InsufficientBalance,
    InvalidAddress,
    InvalidCoins,
    InvalidRequest,
    Unauthorized,
)
from pyibc.core.height import Height
from pyibc.core.numbers import MAX_U256
from pyibc.queues.coins import (
    COINS,
    MAX_HOPS,
    MODULE_NAME,
    CoinTransfer,
    QueueDenom,
    decode_denom,
    decode_transfer,
    encode_denom,
    encode_transfer,
    escrow_address,
)
from pyibc.queues.packet import QueuePacket
from pyibc.queues.states import decode_receipt, encode_packet
from pyibc.queues.types import End, element_key

HAD = 10**12


@pytest.fixture
def pair():
    made = QueuePair.registered(channels=2)
    yield made
    made.close()


def transfer(pair, path, denom, amount, **changes):
    sender, receiver = pair.side(path.a).user.signer, pair.side(path.b).user.signer
    return encode_transfer(CoinTransfer(denom, amount, sender, receiver)._replace(**changes))


def send(pair, path, denom, amount, max_height=Height(0, 0), **changes):
    return pair.send(path, transfer(pair, path, denom, amount, **changes), COINS, max_height)


def held(side, name):
    return side.balance(side.user.wallet.address.raw, name)


def supply(side, name):
    return side.chain.app.bank.supply(side.chain.app.query_context(), name)


ALPHA = QueueDenom("ualpha")


def test_escrowed_and_redeemed(pair):
    for path in (pair.path, pair.channel_paths[0]):
        must(send(pair, path, ALPHA, 70))
        escrow = escrow_address(path.b)
        assert (held(pair.a, "ualpha"), pair.a.balance(escrow, "ualpha")) == (HAD - 70, 70)
        pair.relay(path)
        voucher = ALPHA.received_from(path.a)
        assert (held(pair.b, voucher.name), supply(pair.b, voucher.name)) == (70, 70)
        must(send(pair, path.back(), voucher, 30))
        assert supply(pair.b, voucher.name) == 40
        pair.relay(path.back())
        assert (held(pair.a, "ualpha"), pair.a.balance(escrow, "ualpha")) == (HAD - 40, 40)
        must(send(pair, path.back(), voucher, 40))
        pair.relay(path.back())
        assert (held(pair.a, "ualpha"), pair.a.balance(escrow, "ualpha")) == (HAD, 0)
        assert supply(pair.b, voucher.name) == 0


def test_an_error_brings_coins_and_vouchers_back(pair):
    path = pair.path
    must(send(pair, path, ALPHA, 5, receiver="nobody"))
    must(send(pair, path, ALPHA, 7))
    pair.relay(path)
    assert held(pair.a, "ualpha") == HAD - 7
    voucher = ALPHA.received_from(path.a)
    must(send(pair, path.back(), voucher, 3, receiver="nobody"))
    assert supply(pair.b, voucher.name) == 4
    pair.relay(path.back())
    assert (held(pair.b, voucher.name), supply(pair.b, voucher.name)) == (7, 7)


def test_a_timeout_brings_them_back_by_receipt_and_by_absence(pair):
    path = pair.path
    must(send(pair, path, ALPHA, 5, max_height=Height(1, 1)))
    pair.relay(path)
    assert held(pair.a, "ualpha") == HAD
    must(send(pair, path, ALPHA, 6, max_height=Height(1, 1)))
    pair.sync()
    must(pair.a.submit(pair.timeout(path, 1)))
    assert (held(pair.a, "ualpha"), pair.a.balance(escrow_address(path.b), "ualpha")) == (HAD, 0)


def test_a_voucher_goes_home_by_the_way_it_came_and_by_no_other(pair):
    """Over another end it is a coin like any other, and is escrowed."""
    must(send(pair, pair.path, ALPHA, 10))
    pair.relay(pair.path)
    voucher = ALPHA.received_from(pair.path.a)
    must(send(pair, pair.channel_paths[0].back(), voucher, 4))
    pair.relay(pair.channel_paths[0].back())
    assert pair.b.balance(escrow_address(pair.channel_paths[0].a), voucher.name) == 4
    twice = voucher.received_from(pair.channel_paths[0].b)
    assert (held(pair.a, twice.name), held(pair.a, "ualpha")) == (4, HAD - 10)
    must(send(pair, pair.channel_paths[0], twice, 4))
    pair.relay(pair.channel_paths[0])
    assert (held(pair.b, voucher.name), supply(pair.a, twice.name)) == (10, 0)


def test_a_hostile_chain_moves_not_one_coin_of_another_escrow(pair):
    """B claims vouchers that it never got over this end; A's escrow of the other ends is not touched."""
    for path in (pair.path, pair.channel_paths[0]):
        must(send(pair, path, ALPHA, 50))
        pair.relay(path)
    claims = [pair.path.a, pair.channel_paths[0].a, pair.channel_paths[1].a]
    hostile = pair.channel_paths[1].back()
    apps = pair.b.queues.apps
    honest = apps[COINS]
    apps[COINS] = honest._replace(on_send=lambda *_: None)  # B takes nothing from anybody
    for end in claims:
        must(send(pair, hostile, ALPHA.received_from(end), 1))
    apps[COINS] = honest
    pair.relay(hostile)
    assert [
        pair.a.balance(escrow_address(path.b), "ualpha") for path in (pair.path, pair.channel_paths[0])
    ] == [
        50,
        50,
    ]
    assert held(pair.a, "ualpha") == HAD - 100


def refused_on_b(pair, data):
    """The receipt that B writes for a packet of a chain whose application lets everything pass."""
    path, key = pair.path, element_key(pair.path.outgoing, 0)
    packet = QueuePacket(*path, 0, COINS, data, Height(0, 0), 0)
    pair.a.inside(lambda ctx: ctx.store("queue").set(key, encode_packet(packet)))
    pair.sync()
    on_b = StagedBlock(pair.b.chain)
    on_b.run(pair.receive(path, [0]))
    assert on_b.ctx.writes("bank") == []
    return decode_receipt(dict(on_b.ctx.writes("queue"))[element_key(path.incoming, 0)])


def test_what_the_receiver_refuses(pair):
    path = pair.path
    cases = {
        InvalidRequest: b"\xff",
        InvalidAddress: transfer(pair, path, ALPHA, 1, receiver="nobody"),
        InsufficientBalance: transfer(pair, path, QueueDenom("x" * 9, (path.b.text,)), 1),
        InvalidCoins: transfer(pair, path, QueueDenom("ualpha", (path.a.text,) * MAX_HOPS), 1),
    }
    for error, data in cases.items():
        receipt = refused_on_b(pair, data)
        assert (receipt.codespace, receipt.code) == (error.codespace, error.code)


def test_a_module_receives_no_coins(pair):
    module = pair.b.queues.addresses.encode(module_address("transfer")).text
    receipt = refused_on_b(pair, transfer(pair, pair.path, ALPHA, 1, receiver=module))
    assert (receipt.codespace, receipt.code) == (Unauthorized.codespace, Unauthorized.code)


def test_what_the_sender_refuses(pair):
    path, other = pair.path, pair.b.user.signer
    good = transfer(pair, path, ALPHA, 1)
    cases = [
        (Unauthorized, transfer(pair, path, ALPHA, 1, sender=other)),
        (InvalidAddress, transfer(pair, path, ALPHA, 1, sender="nobody")),
        (InvalidAddress, transfer(pair, path, ALPHA, 1, receiver="")),
        (InsufficientBalance, transfer(pair, path, ALPHA, HAD + 1)),
        (DenomNotFound, transfer(pair, path, ALPHA.received_from(path.b), 1)),
        (InvalidCoins, transfer(pair, path, QueueDenom("queue/abc"), 1)),
        (InvalidCoins, transfer(pair, path, QueueDenom("u"), 1)),
        (InvalidCoins, transfer(pair, path, QueueDenom("ualpha", ("a/b",)), 1)),
        (InvalidCoins, transfer(pair, path, QueueDenom("ualpha", ("a",) * (MAX_HOPS + 1)), 1)),
        (InvalidCoins, transfer(pair, path, ALPHA, 0)),
        (InvalidCoins, transfer(pair, path, ALPHA, -1)),
        (InvalidCoins, transfer(pair, path, ALPHA, MAX_U256 + 1)),
        (InvalidCoins, good.replace(b"\x12\x011", b"\x12\x0201")),
        (InvalidRequest, good + b"\x28\x01"),
        (InvalidRequest, good + good),
        (InvalidRequest, b"\xff"),
        (InvalidCoins, b""),
    ]
    for error, data in cases:
        expect_refusal(StagedBlock(pair.a.chain), pair.send_message(path, data, COINS), error)
    assert StagedBlock(pair.a.chain).attempt(pair.send_message(path, good, COINS)).error is None


texts = st.text("abc/:-", min_size=3, max_size=20).map("u".__add__)
denoms = st.tuples(texts, st.lists(st.sampled_from(["a", "b-1", "c:d"]), max_size=3).map(tuple)).map(
    lambda parts: QueueDenom(*parts)
)


@settings(deadline=None)
@given(denoms, st.integers(1, MAX_U256), st.text(max_size=9), st.text(max_size=9))
def test_a_transfer_is_read_back(denom, amount, sender, receiver):
    one = CoinTransfer(denom, amount, sender, receiver)
    assert decode_transfer(encode_transfer(one)) == one
    assert decode_denom(encode_denom(denom)) == denom


@settings(deadline=None)
@given(denoms, denoms)
def test_two_coins_have_two_names(one, two):
    assert (one.name == two.name) == (one == two)
    end = End("z-1")
    assert one.received_from(end).home() == one
    assert one.received_from(end).came_from(end)


def test_vouchers_survive_in_the_genesis(pair):
    must(send(pair, pair.path, ALPHA, 10))
    pair.relay(pair.path)
    exported = pair.b.chain.app.export_genesis()
    assert len(exported[MODULE_NAME]["entries"]) == 1
