"""`pyibc relay create` against nodes in this process."""

import json

import pytest
from click.testing import CliRunner

from pyibc.cli.relay import command

KEY, OTHER = "11" * 32, "22" * 32
TERM = "delay_period"


@pytest.fixture
def run(nodes, tmp_path):
    """Runs the command between them."""
    for name, key in (("key", KEY), ("other", OTHER)):
        (tmp_path / name).write_text(key)
        (tmp_path / name).chmod(0o600)

    def invoke(*words, key="key"):
        chains = ["--a", nodes[0].url, "--b", nodes[1].url, "--key", str(tmp_path / key)]
        return CliRunner().invoke(command, [*words, *chains])

    return invoke


def said(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def refused(result, *texts):
    assert result.exit_code == 1, result.output
    for text in texts:
        assert text in result.output


def test_a_path_is_created_part_by_part(run) -> None:
    refused(run("create", "connection"), "no usable client of two-2 on one-1")
    only = said(run("create", "client", "--on", "b", "--json"))
    assert only == {"b": {"chain_id": "two-2", "client_id": "07-tendermint-0"}}
    refused(run("create", "connection"), "no usable client of two-2 on one-1")
    both = said(run("create", "client", "--json"))
    assert [both[side]["client_id"] for side in "ab"] == ["07-tendermint-0", "07-tendermint-1"]
    refused(run("create", "channel"), "no usable connection over 07-tendermint-0 and 07-tendermint-1")
    refused(run("create", "connection", key="other"), "07-tendermint-0: another account created it")
    opened = said(run("create", "connection", "--json"))
    assert [opened[side]["connection_id"] for side in "ab"] == ["connection-0", "connection-0"]
    assert said(run("create", "connection", "--json")) == opened
    refused(run(), "no usable unordered channel from one-1 to two-2", "`pyibc relay create path")
    made = said(run("create", "channel", "--json"))
    assert said(run("create", "channel", "--json")) == made
    assert made["a"]["channel_id"] == "channel-0"
    assert said(run("--json"))["a"] == made["a"]


def test_parts_are_named_by_the_user(run) -> None:
    for _ in range(2):
        said(run("create", "client", "--json"))
    names = ("--clients", "07-tendermint-0", "07-tendermint-1")
    late = said(run("create", "connection", *names, "--delay", "3", "--json"))
    assert [late[side]["client_id"] for side in "ab"] == ["07-tendermint-0", "07-tendermint-1"]
    refused(
        run("create", "channel", "--connection", "connection-0"), "delay_period 3000000000 ns (ours 0 ns)"
    )
    over = ("--connection", "connection-0", "--accept", TERM)
    made = said(run("create", "channel", *over, "--json", key="other"))
    assert made["a"]["connection_id"] == "connection-0"
    refused(run(), "delay_period 3000000000 ns (ours 0 ns)")
    assert said(run("--accept", TERM, "--json"))["a"]["channel_id"] == "channel-0"
    refused(
        run("create", "connection", "--clients", "07-tendermint-7", "07-tendermint-1"),
        "the client does not exist",
    )
