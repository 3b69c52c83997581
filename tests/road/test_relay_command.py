"""`pyibc relay` against nodes in this process."""

import json
from threading import Event, Thread

import pytest
from click.testing import CliRunner

from ibc_module.cli.relay import command
from ibc_module.core.coin import coin
from ibc_module.plugin import Config, plugins
from ibc_module.relayer.wallet import Wallet
from localnet.chain import LocalChain
from localnet.genesis import Genesis, funded
from localnet.rpc.server import RpcServer

KEY = "11" * 32


@pytest.mark.parametrize(
    ("arguments", "exit_code", "said"),
    [
        (["--a", "http://127.0.0.1:9"], 2, "--a, --b and --key belong together"),
        (["--network", "no-such-network"], 2, "no-such-network"),
        (["--order", "sideways"], 2, "sideways"),
        (["--a", "ftp://x", "--b", "ftp://y", "--key", "KEY"], 2, "not an http(s) URL"),
    ],
)
def test_wrong_use(tmp_path, arguments, exit_code, said) -> None:
    (tmp_path / "key").write_text(KEY)
    result = CliRunner().invoke(command, [a.replace("KEY", str(tmp_path / "key")) for a in arguments])
    assert result.exit_code == exit_code
    assert said in result.output


def test_malformed_key(tmp_path) -> None:
    (tmp_path / "key").write_text("1234")
    arguments = ["--a", "http://a", "--b", "http://b", "--key", str(tmp_path / "key")]
    result = CliRunner().invoke(command, arguments)
    assert (result.exit_code, "not 64 hex digits" in result.output) == (2, True)


@pytest.mark.slow
def test_opens_a_channel_and_finds_it_again(tmp_path) -> None:
    (tmp_path / "key").write_text(KEY + "\n")
    address = Wallet(bytes.fromhex(KEY), "cosmos").address.text
    genesis = Genesis(funded([(address, [coin("stake", 10**12)])]))
    chains = [LocalChain(name, plugins=plugins(Config()), genesis=genesis) for name in ("one-1", "two-2")]
    servers = [RpcServer(chain) for chain in chains]
    for server in servers:
        server.start(0.01)
    stop = Event()

    def make_blocks() -> None:
        while not stop.wait(0.25):
            for chain in chains:
                chain.make_block()

    maker = Thread(target=make_blocks)
    maker.start()
    arguments = ["--a", servers[0].url, "--b", servers[1].url, "--key", str(tmp_path / "key")]
    try:
        first = CliRunner().invoke(command, [*arguments, "--gas-price", "1", "stake"])
        second = CliRunner().invoke(command, [*arguments, "--json", "--journal", str(tmp_path / "j.db")])
    finally:
        stop.set()
        maker.join()
        for server in servers:
            server.stop()
        for chain in chains:
            chain.close()
    assert (first.exit_code, second.exit_code) == (0, 0), first.output + second.output
    assert "one-1 channel-0 <-> channel-0 two-2" in first.output
    said = json.loads(second.output)
    assert (said["a"]["channel_id"], said["b"]["channel_id"]) == ("channel-0", "channel-0")
    assert (said["transactions"], said["given_up"]) == (0, {})
