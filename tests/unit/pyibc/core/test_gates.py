"""What applications hand to the host's coins, accounts and addresses is of exact types."""

import pytest

from pyibc.core.address import Address, AddressCodec
from pyibc.core.application.services import Accounts, Bank
from pyibc.core.coin import Coin, coin
from pyibc.core.errors import InvalidAddress, LogicFault
from pyibc.isolation.isolate import guarded
from pyibc.isolation.scoped_context import Grant, scoped_call

ALICE = AddressCodec("cosmos").encode(b"a" * 20)
BOB = AddressCodec("cosmos").encode(b"b" * 20)


class Recorder:
    """A host's bank and accounts."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *arguments: self.calls.append((name, *arguments)) or len(self.calls)


class Text(str):
    """Hashes and compares as another text."""

    __slots__ = ()

    def __hash__(self):
        return hash(ALICE.text)

    def __eq__(self, _):
        return True


class Raw(bytes):
    """Hashes and compares as other bytes."""

    __slots__ = ()

    def __hash__(self):
        return hash(ALICE.raw)

    def __eq__(self, _):
        return True


class Number(int):
    __slots__ = ()


class Own(Address):
    __slots__ = ()


def test_the_hosts_own_context_stands_behind_an_applications():
    host = Recorder()
    bank, accounts, block = guarded(Bank, host), guarded(Accounts, host), object()
    five = coin("uatom", 5)
    with scoped_call(block, Grant(frozenset())) as ctx:
        bank.send(ctx, ALICE, BOB, five)
        bank.mint(ctx, ALICE, five)
        bank.burn(ctx, ALICE, five)
        assert bank.balance(ctx, BOB.raw, "uatom") == 4
        assert bank.supply(ctx, "uatom") == 5
        assert bank.is_blocked(BOB.raw) == 6
        assert bank.is_send_enabled(ctx, "uatom") == 7
        assert accounts.get(ctx, BOB.raw) == 8
        assert accounts.create(ctx, BOB, "module") == 9
        assert accounts.create(ctx, BOB, owner="icacontroller-x") == 10
    assert host.calls == [
        ("send", block, ALICE, BOB, five),
        ("mint", block, ALICE, five),
        ("burn", block, ALICE, five),
        ("balance", block, BOB.raw, "uatom"),
        ("supply", block, "uatom"),
        ("is_blocked", BOB.raw),
        ("is_send_enabled", block, "uatom"),
        ("get", block, BOB.raw),
        ("create", block, BOB, "module", ""),
        ("create", block, BOB, "", "icacontroller-x"),
    ]
    with pytest.raises(LogicFault, match="after its call"):
        bank.send(ctx, ALICE, BOB, five)


@pytest.mark.parametrize(
    "amount",
    [
        Coin("uatom", -5, "-5uatom"),
        Coin("uatom", 5, "500uatom"),
        Coin("uatom", Number(5), "5uatom"),
        Coin("uatom", True, "Trueuatom"),
        Coin(Text("uatom"), 5, "5uatom"),
        Coin("uatom", 5, Text("5uatom")),
        ("uatom", 5, "5uatom"),
    ],
)
def test_h81_a_coin_that_lies_moves_nothing(amount):
    host = Recorder()
    bank = guarded(Bank, host)
    for act in (
        lambda: bank.send(None, ALICE, BOB, amount),
        lambda: bank.mint(None, ALICE, amount),
        lambda: bank.burn(None, ALICE, amount),
    ):
        with pytest.raises(LogicFault):
            act()
    assert host.calls == []


def test_h244_coins_of_more_than_256_bits():
    host = Recorder()
    bank, most = guarded(Bank, host), coin("uatom", 2**256 - 1)
    block = object()
    bank.mint(block, ALICE, most)
    assert host.calls == [("mint", block, ALICE, most)]
    for amount in (2**256, 10**5_000):
        with pytest.raises(LogicFault, match="more than 256 bits"):
            bank.mint(block, ALICE, Coin("uatom", amount, "too long to be written"))
    assert len(host.calls) == 1


@pytest.mark.parametrize(
    "who",
    [Address(Raw(b"b" * 20), BOB.text), Address(BOB.raw, Text(BOB.text)), Own(*BOB), tuple(BOB), BOB.text],
)
def test_h81_an_address_that_lies_is_nobodys(who):
    host = Recorder()
    bank = guarded(Bank, host)
    for act in (
        lambda: bank.send(None, who, BOB, coin("uatom", 5)),
        lambda: bank.send(None, BOB, who, coin("uatom", 5)),
        lambda: bank.mint(None, who, coin("uatom", 5)),
        lambda: bank.burn(None, who, coin("uatom", 5)),
        lambda: guarded(Accounts, host).create(None, who),
    ):
        with pytest.raises(LogicFault):
            act()
    assert host.calls == []


@pytest.mark.parametrize(
    "ask",
    [
        lambda bank, _: bank.balance(None, Raw(b"b"), "uatom"),
        lambda bank, _: bank.balance(None, bytearray(b"b"), "uatom"),
        lambda bank, _: bank.balance(None, b"b", Text("uatom")),
        lambda bank, _: bank.supply(None, Text("uatom")),
        lambda bank, _: bank.is_send_enabled(None, Text("uatom")),
        lambda bank, _: bank.is_blocked(Raw(b"b")),
        lambda _, accounts: accounts.get(None, Raw(b"b")),
        lambda _, accounts: accounts.create(None, BOB, Text("module")),
        lambda _, accounts: accounts.create(None, BOB, "", Text("icacontroller-x")),
    ],
)
def test_questions_are_of_exact_types_too(ask):
    host = Recorder()
    with pytest.raises(LogicFault):
        ask(guarded(Bank, host), guarded(Accounts, host))
    assert host.calls == []


@pytest.mark.parametrize(
    "gate", [guarded(Bank, Recorder()), guarded(Accounts, Recorder()), AddressCodec("cosmos")]
)
def test_what_all_plugins_share_has_no_attributes_to_set(gate):
    for name in (*[each for each in dir(gate) if not each.startswith("_")], "new"):
        for assign in (setattr, object.__setattr__):
            with pytest.raises(AttributeError):
                assign(gate, name, None)


def test_h81_an_address_of_a_class_of_its_own_is_remembered_for_nobody():
    """It would be found in the memo, where it passes as the other."""
    codec = AddressCodec("cosmos")
    with pytest.raises(LogicFault):
        codec.encode(Raw(BOB.raw))
    with pytest.raises(LogicFault):
        codec.encode(bytearray(BOB.raw))
    with pytest.raises(InvalidAddress):
        codec.decode(Text(BOB.text), "signer")
    assert (codec.encode(ALICE.raw), codec.decode(ALICE.text, "signer")) == (ALICE, ALICE)
