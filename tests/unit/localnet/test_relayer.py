"""The configuration that a network writes is one, and its key is its owner's alone."""

import pytest

from ibc_relayer.daemon.config import read_config
from ibc_relayer.daemon.connecting import wallet_of
from ibc_relayer.money_errors import KeyExposed
from ibc_relayer.wallet import Wallet
from localnet.relayer import write_relayer

CHAINS = [("a-1", "http://127.0.0.1:1", "cosmos"), ("b-2", "http://127.0.0.1:2", "osmo")]
KEY = bytes([7]) * 32


def test_what_is_written_is_read(tmp_path):
    file = write_relayer(tmp_path / "new", CHAINS, KEY, "channel-3")
    config = read_config(file)
    assert [(chain.id, chain.rpc, chain.prefix) for chain in config.chains] == [
        ("a-1", ("http://127.0.0.1:1",), "cosmos"),
        ("b-2", ("http://127.0.0.1:2",), "osmo"),
    ]
    assert [(path.a, path.b, path.channels) for path in config.paths] == [("a-1", "b-2", ("channel-3",))]
    assert wallet_of(config.chain("b-2").key, "osmo").address == Wallet(KEY, "osmo").address
    assert write_relayer(tmp_path / "new", CHAINS, KEY, "channel-4") == file
    assert read_config(file).paths[0].channels == ("channel-4",)


def test_no_key_is_overwritten(tmp_path):
    write_relayer(tmp_path, CHAINS, KEY, "channel-0")
    with pytest.raises(ValueError, match="holds another key"):
        write_relayer(tmp_path, CHAINS, bytes([8]) * 32, "channel-0")
    assert (tmp_path / "relayer.key").read_text().strip() == KEY.hex()
    (tmp_path / "relayer.key").chmod(0o644)
    with pytest.raises(KeyExposed):
        write_relayer(tmp_path, CHAINS, KEY, "channel-0")


def test_one_chain_has_no_path(tmp_path):
    with pytest.raises(ValueError, match="two chains"):
        write_relayer(tmp_path, CHAINS[:1], KEY, "channel-0")
    assert list(tmp_path.iterdir()) == []
