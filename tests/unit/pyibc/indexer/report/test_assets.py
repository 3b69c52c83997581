import json
import re

import pytest

from pyibc.indexer.errors import MalformedAssets
from pyibc.indexer.report import options
from pyibc.indexer.report.options import Asset, read_assets

VOUCHER = "transfer/channel-0/uatom"
HASH = "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2"  # of it


def unit(base, symbol, exponent, **more):
    units = [{"denom": base, "exponent": 0}, {"denom": "shown", "exponent": exponent, "aliases": []}]
    return {
        "base": base,
        "display": "shown",
        "symbol": symbol,
        "denom_units": units,
        "type_asset": "ics20",
        **more,
    }


def put(folder, *entries, chain_id=None):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "assetlist.json").write_text(json.dumps({"chain_name": "x", "assets": entries}))
    if chain_id is not None:
        (folder / "chain.json").write_text(json.dumps({"chain_id": chain_id, "chain_name": "x"}))
    return folder


@pytest.mark.parametrize(
    ("exponent", "amount", "shown"),
    [
        (6, 1_234_500_000, "1,234.5 ATOM"),
        (6, 1, "0.000001 ATOM"),
        (6, 0, "0 ATOM"),
        (6, -1_500_000, "-1.5 ATOM"),
        (0, 12_000, "12,000 ATOM"),
        (18, 10**18, "1 ATOM"),
        (18, 2**256 - 1, f"{(2**256 - 1) // 10**18:,}.584007913129639935 ATOM"),
    ],
)
def test_amounts_are_exact(exponent, amount, shown):
    assert Asset("ATOM", exponent).shown(amount) == shown


def test_a_list_of_a_chain_knows_its_coins_and_its_vouchers_by_their_hash(tmp_path):
    put(tmp_path / "osmosis", unit("uosmo", "OSMO", 6), unit(HASH, "ATOM", 6), chain_id="osmosis-1")
    put(tmp_path / "cosmoshub", unit("uatom", "ATOM", 6), chain_id="cosmoshub-4")
    found = read_assets([tmp_path])
    assert found.find("osmosis-1", "uosmo") == Asset("OSMO", 6)
    assert found.find("osmosis-1", VOUCHER) == found.find("osmosis-1", HASH) == Asset("ATOM", 6)
    assert found.find("cosmoshub-4", "uatom") == Asset("ATOM", 6)
    # anybody may call a coin uatom
    assert found.find("osmosis-1", "uatom") is None
    assert found.find("osmosis-1", "transfer/channel-9/uatom") is None
    assert found.find(None, None) is None


def test_a_list_without_a_chain_knows_names_unless_two_differ(tmp_path):
    one = put(tmp_path / "one", unit("uatom", "ATOM", 6), unit("stake", "A", 6)) / "assetlist.json"
    two = put(tmp_path / "two", unit("stake", "B", 6))
    found = read_assets([one, two])
    assert found.find("any-1", VOUCHER) == found.find("any-1", "uatom") == Asset("ATOM", 6)
    assert found.find("any-1", "stake") is None
    assert bool(found)
    assert not read_assets([])


def test_a_coin_to_which_lists_of_its_chain_give_different_units_has_none(tmp_path):
    put(tmp_path / "a", unit("uosmo", "OSMO", 6), unit("uion", "ION", 6), chain_id="osmosis-1")
    put(tmp_path / "b", unit("uosmo", "OSMO", 9), unit("uion", "ION", 6), chain_id="osmosis-1")
    put(tmp_path / "c", unit("uosmo", "OTHER", 3))
    for order in ("abc", "cba"):
        found = read_assets([tmp_path / name for name in order])
        assert found.find("osmosis-1", "uosmo") is None
        assert found.find("osmosis-1", "uion") == Asset("ION", 6)
        assert found.find("other-1", "uosmo") == Asset("OTHER", 3)


@pytest.mark.parametrize("exponents", [[], [6, 9]])
def test_an_asset_without_one_display_unit_is_left_out(tmp_path, exponents):
    units = [{"denom": "y", "exponent": exponent} for exponent in exponents]
    (tmp_path / "list").write_text(
        json.dumps({"assets": [{"base": "x", "display": "y", "denom_units": units}]})
    )
    assert not read_assets([tmp_path / "list"])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "truncated"),
        (b"[]", "Expected `object`"),
        (b"{}", "missing required field `assets`"),
        (b'{"assets": [{"base": 7}]}', r"Expected `str`, got `int` - at `\$.assets\[0\].base`"),
        (json.dumps({"assets": [unit("a", "A", 78)]}).encode(), "Expected `int` <= 77"),
        (json.dumps({"assets": [unit("a", "A" * 129, 6)]}).encode(), "length <= 128"),
        (b"[" * 100_000, "Expected `object`"),
        (b"\xff", "malformed"),
    ],
)
def test_a_file_that_is_none_is_named(tmp_path, content, reason):
    (tmp_path / "assetlist.json").write_bytes(content)
    with pytest.raises(MalformedAssets, match=reason) as refused:
        read_assets([tmp_path])
    assert refused.value.file == str(tmp_path / "assetlist.json")


def test_what_is_too_much_is_refused(tmp_path, monkeypatch):
    put(tmp_path / "a", unit("a", "A", 6), unit("b", "B", 6))
    put(tmp_path / "b", unit("c", "C", 6))
    for name, most, reason in (
        ("MAX_BYTES", 20, "more than 20 bytes"),
        ("MAX_ASSETS", 2, "more than 2 assets"),
        ("MAX_FILES", 1, "more than 1 lists"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(options, name, most)
            with pytest.raises(MalformedAssets, match=reason):
                read_assets([tmp_path])
    assert read_assets([tmp_path]).find("", "c") == Asset("C", 6)


def test_a_folder_without_a_list_is_named(tmp_path):
    with pytest.raises(MalformedAssets, match=re.escape(str(tmp_path))):
        read_assets([tmp_path])
