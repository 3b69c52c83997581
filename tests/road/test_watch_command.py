"""`pyibc watch` against nodes in this process."""

import json

from click.testing import CliRunner

from conformance.kit.forged_headers import EQUIVOCATIONS
from conformance.kit.headers import header_of
from conformance.kit.serving import serving
from light_client.tendermint.codec import pack_client_header
from pyibc.cli.watch import command
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import create_client
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint

KEY, LIAR = "11" * 32, "22" * 32


def test_a_lie_is_found_and_told(key_file) -> None:
    with serving(("one-1", "two-2"), plugins, [KEY, LIAR], 0.2) as (one, two):
        wallet, config = Wallet(bytes.fromhex(LIAR), "cosmos"), RpcConfig(poll_s=0.1)
        host, target = (RpcEndpoint.connect(each.url, wallet, GasConfig(), config) for each in (one, two))
        arguments = ["--a", one.url, "--b", two.url, "--key", key_file, "--json"]
        client = create_client(host, target)
        quiet = CliRunner().invoke(command, arguments)
        assert (quiet.exit_code, quiet.output) == (0, "")
        known = client.view().latest.revision_height
        target.wait(known + 2)
        lie = EQUIVOCATIONS["other_state"](header_of(two.chain, known + 2, known), two.chain.keyring)
        message = MsgUpdateClient(client.client_id, pack_client_header(lie), host.signer)
        assert host.submit([pack_msg(message)]).code == 0
        found = CliRunner().invoke(command, arguments)
        assert found.exit_code == 3, found.output
        told = json.loads(found.output)
        assert (told["host"], told["chain_id"], told["height"]) == ("one-1", "two-2", known + 2)
        assert told["clients"] == {client.client_id: "frozen"}
        assert ForeignClient(host, target, client.client_id).view().frozen
        again = CliRunner().invoke(command, arguments[:-1])
        assert (again.exit_code, "differs from that of" in again.output) == (3, True)
        for endpoint in (host, target):
            endpoint.close()
