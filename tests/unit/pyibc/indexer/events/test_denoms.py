from hashlib import sha256

from pyibc.indexer.events.forwards import Coins, Route, coins_of, path_at_receiver

ROUTE = Route("transfer", "channel-1", "wasm.x", "channel-2")


def voucher(path):
    return "ibc/" + sha256(path.encode()).hexdigest().upper()


def test_a_coin_that_leaves_home_gets_a_hop():
    assert coins_of("uatom", ROUTE) == Coins("uatom", None, "uatom", voucher("wasm.x/channel-2/uatom"))


def test_a_coin_on_its_way_gets_one_more():
    path = "transfer/channel-7/transfer/07-tendermint-3/gamm/pool/1"
    assert coins_of(path, ROUTE) == Coins(
        "gamm/pool/1",
        "transfer/channel-7/transfer/07-tendermint-3",
        voucher(path),
        voucher(f"wasm.x/channel-2/{path}"),
    )


def test_a_coin_that_goes_home_loses_one():
    assert path_at_receiver("transfer/channel-1/uatom", ROUTE) == "uatom"
    assert coins_of("transfer/channel-1/uatom", ROUTE) == Coins(
        "uatom", "transfer/channel-1", voucher("transfer/channel-1/uatom"), "uatom"
    )
    assert (
        path_at_receiver("transfer/channel-11/uatom", ROUTE) == "wasm.x/channel-2/transfer/channel-11/uatom"
    )


def test_a_hostile_path_is_taken_apart_in_one_go():
    path = "transfer/channel-1/" * 20_000 + "uatom"
    assert coins_of(path, ROUTE).base == "uatom"
