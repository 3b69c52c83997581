"""Coins: nothing appears or vanishes but by mint and burn."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iavl import MultiStore
from pyibc.chain.accounts.keeper import Accounts
from pyibc.chain.bank.keeper import BankKeeper
from pyibc.chain.config import module_address
from pyibc.core.address import AddressCodec
from pyibc.core.coin import coin
from pyibc.core.errors import InsufficientBalance, LogicFault
from pyibc.core.host.overlay import BlockContext
from pyibc.core.numbers import MAX_U256
from tests.sampling import rounds

ADDRESSES = AddressCodec("cosmos")
MODULE = ADDRESSES.encode(module_address("transfer"))
PEOPLE = [ADDRESSES.encode(bytes([n]) * 20) for n in (1, 2, 0xFF)]


def new_bank():
    store = MultiStore(None, ["ibc", "acc", "bank"])
    ctx = BlockContext("chain-1", 1, 1, {name: store.store(name) for name in store.names()})
    return BankKeeper(Accounts(), ["transfer"]), ctx


@pytest.fixture
def bank():
    return new_bank()


def kinds(ctx):
    return [kind for kind, _ in ctx.take_events()]


def test_mint_send_burn_and_their_events(bank):
    keeper, ctx = bank
    keeper.mint(ctx, MODULE, coin("atom", 10))
    assert ctx.take_events() == (
        ("coin_received", (("receiver", MODULE.text), ("amount", "10atom"))),
        ("coinbase", (("minter", MODULE.text), ("amount", "10atom"))),
    )
    keeper.send(ctx, MODULE, PEOPLE[0], coin("atom", 4))
    assert kinds(ctx) == ["coin_spent", "coin_received", "transfer", "message"]
    keeper.burn(ctx, MODULE, coin("atom", 6))
    assert ctx.take_events() == (
        ("coin_spent", (("spender", MODULE.text), ("amount", "6atom"))),
        ("burn", (("burner", MODULE.text), ("amount", "6atom"))),
    )
    assert keeper.supply(ctx, "atom") == keeper.balance(ctx, PEOPLE[0].raw, "atom") == 4


def test_a_balance_of_zero_leaves_no_key(bank):
    keeper, ctx = bank
    keeper.mint(ctx, MODULE, coin("atom", 1))
    keeper.burn(ctx, MODULE, coin("atom", 1))
    assert [value for _, value in ctx.writes("bank")] == [None, None]


def test_a_move_is_two_writes_once_the_account_is_there(bank):
    keeper, ctx = bank
    keeper.mint(ctx, MODULE, coin("atom", 9))
    keeper.send(ctx, MODULE, PEOPLE[0], coin("atom", 1))
    ctx.take_events()
    keeper.send(ctx, MODULE, PEOPLE[0], coin("atom", 1))
    assert len(ctx.undo) == 2


@pytest.mark.parametrize("act", ["send", "burn"])
def test_more_than_there_is(bank, act):
    keeper, ctx = bank
    keeper.mint(ctx, MODULE, coin("atom", 3))
    before = ctx.writes("bank")
    ctx.take_events()
    arguments = [MODULE, PEOPLE[0], coin("atom", 4)] if act == "send" else [MODULE, coin("atom", 4)]
    with pytest.raises(InsufficientBalance) as caught:
        getattr(keeper, act)(ctx, *arguments)
    assert (caught.value.balance, caught.value.needed) == ("3atom", "4atom")
    assert ctx.writes("bank") == before
    assert ctx.take_events() == ()


def test_a_supply_never_reaches_two_to_the_256(bank):
    keeper, ctx = bank
    keeper.mint(ctx, MODULE, coin("atom", MAX_U256))
    before = ctx.writes("bank")
    with pytest.raises(LogicFault):
        keeper.mint(ctx, MODULE, coin("atom", 1))
    assert ctx.writes("bank") == before
    assert keeper.balance(ctx, MODULE.raw, "atom") == MAX_U256


def test_balances_of_one_holder_only(bank):
    keeper, ctx = bank
    for holder in PEOPLE:
        keeper.endow(ctx, holder, coin("atom", holder.raw[0]))
        keeper.endow(ctx, holder, coin("ibc/AA", 7))
    assert list(keeper.balances(ctx, PEOPLE[2].raw)) == [("atom", 255), ("ibc/AA", 7)]


MOVES = st.lists(
    st.tuples(
        st.sampled_from(["send", "mint", "burn"]),
        st.integers(0, 3),
        st.integers(0, 3),
        st.sampled_from(["atom", "stake"]),
        st.one_of(st.integers(1, 100), st.integers(MAX_U256 - 50, MAX_U256)),
    ),
    max_size=30,
)


@settings(deadline=None, max_examples=rounds(15, 60))
@given(MOVES)
def test_balances_add_up_to_the_supply(moves):
    keeper, ctx = new_bank()
    holders = [*PEOPLE, MODULE]
    issued = {"atom": 0, "stake": 0}
    for act, source, target, denom, amount in moves:
        what = coin(denom, amount)
        try:
            if act == "send":
                keeper.send(ctx, holders[source], holders[target], what)
            elif act == "mint":
                keeper.mint(ctx, holders[target], what)
                issued[denom] += amount
            else:
                keeper.burn(ctx, holders[source], what)
                issued[denom] -= amount
        except (InsufficientBalance, LogicFault):
            continue
    held = {"atom": 0, "stake": 0}
    for _, denom, amount in keeper.all_balances(ctx):
        assert 0 < amount <= MAX_U256
        held[denom] += amount
    assert held == issued == {denom: keeper.supply(ctx, denom) for denom in held}
