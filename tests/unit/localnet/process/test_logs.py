"""The last lines of a network's logs."""

import pytest
from click.testing import CliRunner

from localnet import network
from localnet.network import Network, NetworkPlan
from localnet.process.startup import last_lines, logs_of
from pyibc.cli import localnet as cli


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 10_000])
@pytest.mark.parametrize("end", ["", "\n"])
def test_the_last_lines(tmp_path, count, end):
    lines = [f"line {number}" for number in range(4)]
    path = tmp_path / "node.log"
    path.write_text("\n".join(lines) + end)
    assert last_lines(path, count) == (lines[-count:] if count else [])


def test_lines_longer_than_what_is_read_at_once(tmp_path):
    path = tmp_path / "node.log"
    lines = [letter * 200_000 for letter in "abc"]
    path.write_text("\n".join(lines))
    assert last_lines(path, 2) == lines[1:]


def test_what_is_no_text(tmp_path):
    path = tmp_path / "node.log"
    path.write_bytes(b"a\xff\n")
    assert last_lines(path, 1) == ["a\\xff"]


def test_every_log_of_a_chain_is_found(tmp_path):
    wanted = ["node.log", "v0/app.log", "v0/comet.log", "v1/app.log"]
    for name in (*wanted, "other", "v1/data.json"):
        path = tmp_path / "one-1" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    assert list(logs_of([tmp_path / "one-1"])) == [tmp_path / "one-1" / name for name in wanted]


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(network, "default_root", lambda: tmp_path)
    Network("net").create(NetworkPlan(2))
    for chain in ("net-a-1", "net-b-1"):
        (tmp_path / "net" / chain / "node.log").write_text(f"first\nsecond of {chain}\n")
    one = CliRunner().invoke(cli.command, ["logs", "--name", "net", "--chain", "net-b-1", "--lines", "1"])
    assert (one.exit_code, one.output.splitlines()[1:]) == (0, ["second of net-b-1"])
    both = CliRunner().invoke(cli.command, ["logs", "--name", "net"])
    assert both.output.count("first") == 2
    none = CliRunner().invoke(cli.command, ["logs", "--name", "net", "--chain", "nobody"])
    assert (none.exit_code, "has no chain 'nobody'" in none.output) == (2, True)
