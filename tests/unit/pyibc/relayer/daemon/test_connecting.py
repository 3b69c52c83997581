"""Configured keys and fees become wallets and prices, or are refused by name."""

from fractions import Fraction

import pytest

from pyibc.relayer.config.model import BudgetConfig, ChainConfig, FeeConfig, KeyConfig
from pyibc.relayer.daemon.connecting import gas_of, wallet_of, wallets_of
from pyibc.relayer.errors import KeyRefused
from pyibc.relayer.money.budgets import NO_BUDGET, Budget
from pyibc.relayer.money.fees import PRICE_SOURCES, DynamicPrice, GasPrice

KEY = "11" * 32


def test_a_fixed_price():
    gas = gas_of(
        FeeConfig(
            denom="uatom",
            price=Fraction(1, 400),
            multiplier=Fraction(3, 2),
            max_gas=7,
            granter="g",
            memo="m",
            max_fee=9,
        )
    )
    assert gas.price == GasPrice(Fraction(1, 400), "uatom")
    assert (gas.multiplier, gas.limit, gas.granter, gas.memo) == (Fraction(3, 2), 7, "g", "m")
    assert (gas.max_fee, gas_of(FeeConfig()).max_fee) == (9, None)
    budget = BudgetConfig(chain=3, path=2, sender=1)
    assert gas_of(FeeConfig(budget=budget)).budget == Budget(chain=3, path=2, sender=1)
    assert gas_of(FeeConfig()).budget == NO_BUDGET


def test_a_market_s_price():
    fees = FeeConfig(
        denom="uosmo",
        price=Fraction(1, 100),
        market="osmosis",
        market_multiplier=Fraction(13, 10),
        max_price=Fraction(1, 2),
    )
    assert gas_of(fees).price == DynamicPrice(
        PRICE_SOURCES["osmosis"], GasPrice(Fraction(1, 100), "uosmo"), Fraction(13, 10), Fraction(1, 2)
    )


def test_a_key_from_the_environment_and_from_a_file(monkeypatch, tmp_path):
    monkeypatch.setenv("A_KEY", KEY)
    (tmp_path / "a.key").write_text(KEY)
    (tmp_path / "a.key").chmod(0o600)
    known = wallet_of(KeyConfig(env="A_KEY"), "cosmos").address
    assert wallet_of(KeyConfig(file=str(tmp_path / "a.key")), "cosmos").address == known
    assert wallet_of(KeyConfig(env="A_KEY", type="ethsecp256k1"), "cosmos").address != known


def test_a_key_of_a_password_store(tmp_path):
    (tmp_path / "it's").write_text(KEY)
    known = wallet_of(KeyConfig(command=("echo", KEY)), "cosmos").address
    assert wallet_of(KeyConfig(command=("cat", str(tmp_path / "it's"))), "cosmos").address == known


def test_several_keys_in_their_order_and_none_twice(monkeypatch, tmp_path):
    monkeypatch.setenv("ONE", KEY)
    monkeypatch.setenv("TWO", "22" * 32)
    (tmp_path / "one.key").write_text(KEY)
    (tmp_path / "one.key").chmod(0o600)
    several = ChainConfig(id="a-1", rpc=(), keys=(KeyConfig(env="TWO"), KeyConfig(env="ONE")))
    expected = [wallet_of(KeyConfig(env=name), "cosmos").address for name in ("TWO", "ONE")]
    assert [each.address for each in wallets_of(several)] == expected
    same = (KeyConfig(env="ONE"), KeyConfig(file=str(tmp_path / "one.key")))
    with pytest.raises(KeyRefused, match="the same as another"):
        wallets_of(ChainConfig(id="a-1", rpc=(), keys=same))
