"""The configuration that a network writes is one, and its key is its owner's alone."""

import pytest
from click.testing import CliRunner

import localnet.network
from localnet.network import Network, NetworkPlan
from localnet.relayers import write_relayer
from pyibc.cli.localnet import command
from pyibc.core.errors import InvalidIdentifier
from pyibc.relayer.config.file import read_config
from pyibc.relayer.daemon.connecting import wallet_of
from pyibc.relayer.errors import KeyExposed
from pyibc.relayer.money.wallet import Wallet

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
    with pytest.raises(ValueError, match="has another key"):
        write_relayer(tmp_path, CHAINS, bytes([8]) * 32, "channel-0")
    assert (tmp_path / "relayer.key").read_text().strip() == KEY.hex()
    (tmp_path / "relayer.key").chmod(0o644)
    with pytest.raises(KeyExposed):
        write_relayer(tmp_path, CHAINS, KEY, "channel-0")


def test_one_chain_has_no_path(tmp_path):
    with pytest.raises(ValueError, match="two chains"):
        write_relayer(tmp_path, CHAINS[:1], KEY, "channel-0")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("channel", ["", 'channel-0"]\n[evil]', "x" * 65])
def test_a_channel_that_is_none_writes_nothing(tmp_path, channel):
    with pytest.raises(InvalidIdentifier):
        write_relayer(tmp_path, CHAINS, KEY, channel)
    assert list(tmp_path.iterdir()) == []


def test_what_stands_in_the_way_of_a_key_is_wrong_use_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(localnet.network, "default_root", lambda: tmp_path)
    Network("n1", tmp_path).create(NetworkPlan(2, 1))
    out = tmp_path / "out"
    for prepare in (lambda key: key.mkdir(parents=True), lambda key: key.rmdir() or key.touch(0o644)):
        prepare(out / "relayer.key")
        done = CliRunner().invoke(command, ["relayer", "--name", "n1", "--out", str(out)])
        assert done.exit_code == 2
        assert done.output.startswith(f"error: {out / 'relayer.key'}: ")
        assert len(done.output.splitlines()) == 1
        assert [path.name for path in out.iterdir()] == ["relayer.key"]
