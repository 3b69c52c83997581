"""`pyibc relay --protocol v2` against nodes in this process."""

import json
import re
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from localnet.endpoint import LocalEndpoint
from pyibc.cli.relay import command
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import make_client_path
from pyibc.relayer.paths.path import ClientEnd
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.testing.transfers import abroad

KEY, USER_KEY = "11" * 32, "22" * 32
ROOT = Path(__file__).parents[2]
DONE = ("delivered", "acknowledged", "refused", "given_up")


@pytest.fixture
def relay(nodes, key_file):
    """Runs the command between them, and gives what it said."""
    chains = ["--a", nodes[0].url, "--b", nodes[1].url, "--key", key_file]

    def invoke(*more, create=()):
        return CliRunner().invoke(command, [*create, *chains, "--protocol", "v2", *more])

    return invoke


CREATE = ("create", "path")


def said(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def test_makes_a_pair_and_relays_what_the_page_sends(nodes, relay, tmp_path) -> None:
    """The program in docs/relayer.md sends; the relayer has nothing but JSON-RPC."""
    nothing = relay()
    assert (nothing.exit_code, "create a path with" in nothing.output) == (1, True)
    first = relay(create=CREATE)
    assert first.exit_code == 0, first.output
    assert "one-1 07-tendermint-0 <-> 07-tendermint-0 two-2" in first.output
    page = (ROOT / "docs" / "relayer.md").read_text()
    (program,) = re.findall(r"^```python\n(from time import time\n.*?)^```", page, re.MULTILINE | re.DOTALL)
    user = Wallet(bytes.fromhex(USER_KEY), "cosmos")
    with closing(RpcEndpoint.connect(nodes[0].url, user, GasConfig(), RpcConfig())) as chain:
        names = {"chain": chain, "receiver": user.address.text}
        exec(compile(program, "relayer.md", "exec"), names)
    assert names["outcome"].code == 0, names["outcome"].log
    journal = ["--journal", str(tmp_path / "relayer.db")]
    second = said(relay("--json", "--client", "07-tendermint-0", *journal))
    assert second["a"] == {"chain_id": "one-1", "client_id": "07-tendermint-0"}
    assert [second[name] for name in DONE] == [1, 1, 0, {}]
    assert said(relay("--json", *journal))["transactions"] == 0
    app = nodes[1].chain.app
    voucher = abroad("stake", ClientEnd("two-2", "07-tendermint-0")).coin_denom
    assert app.bank.balance(app.query_context(), user.address.raw, voucher) == 5
    third = said(relay("--json", "--new-clients", create=CREATE))
    assert third["a"]["client_id"] == "07-tendermint-1"
    two = relay()
    assert two.exit_code == 1
    assert "07-tendermint-1, 07-tendermint-0\nname one by --client" in two.output
    assert said(relay("--json", *journal))["a"]["client_id"] == "07-tendermint-0"  # as the journal has it


def test_what_a_chain_says_no_to_is_one_line(nodes, relay) -> None:
    unknown = relay("--client", "07-tendermint-5")
    assert unknown.exit_code == 1
    assert "error: one-1: 07-tendermint-5: no counterparty is registered" in unknown.output
    wallet = Wallet(bytes.fromhex(USER_KEY), "cosmos")
    ends = [LocalEndpoint(node.chain, wallet, on_demand=False) for node in nodes]
    path = make_client_path(*ends)
    # somebody else's pair serves everybody
    assert said(relay("--json"))["a"]["client_id"] == path.a.client_id


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--client", "07-tendermint-0"], "--client: not with --protocol channel"),
        (["create", "path", "--client", "x"], "--client: not with --protocol channel"),
        (["--protocol", "queue", "--journal", "x"], "--journal: not with --protocol queue"),
        (["--protocol", "v2", "--port", "transfer"], "--port: not with --protocol v2"),
        (["--protocol", "v2", "--channel", "x", "--naive"], "--channel, --naive: not with --protocol v2"),
        (["--protocol", "v3"], "v3"),
    ],
)
def test_options_that_do_not_go_together(arguments, complaint) -> None:
    result = CliRunner().invoke(command, arguments)
    assert (result.exit_code, complaint in result.output) == (2, True), result.output
