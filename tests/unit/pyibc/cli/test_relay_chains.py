"""`pyibc relay chains add`: a chain of a registry becomes a table of the configuration."""

import json
import threading
from decimal import Decimal
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
import pytest
from click.testing import CliRunner

from pyibc.cli import main
from pyibc.relayer.config.file import read_config
from pyibc.relayer.config.from_registry import MAX_BYTES, read_entry
from pyibc.relayer.errors import WrongConfiguration

ENTRY = {
    "chain_name": "osmosis",
    "chain_id": "osmosis-1",
    "bech32_prefix": "osmo",
    "status": "live",
    "key_algos": ["secp256k1"],
    "fees": {
        "fee_tokens": [
            {"denom": "uosmo", "low_gas_price": 0.0025, "average_gas_price": 0.025},
            {"denom": "uion", "fixed_min_gas_price": 1},
        ]
    },
    "apis": {"rpc": [{"address": "http://one:26657"}, {"address": "https://two/rpc"}, {"address": "ws://x"}]},
}
PATH = '\n[[paths]]\na = "osmosis-1"\nb = "b-1"\nchannels = ["channel-0"]\n'
OTHER = '[[chains]]\nid = "b-1"\nrpc = ["http://b"]\nkey = { file = "b.key" }\n'


@pytest.fixture
def registry(tmp_path):
    """Write an entry with changes; return the folder of the registry."""

    def go(name="osmosis", **changes):
        folder = tmp_path / "registry" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "chain.json").write_text(json.dumps(ENTRY | changes))
        return tmp_path / "registry"

    return go


@pytest.fixture
def file(tmp_path):
    return tmp_path / "relayer.toml"


def add(file, registry, *more, name="osmosis"):
    words = ["relay", "chains", "add", name, "--registry", registry, "--config", file, *more]
    return CliRunner().invoke(main, [str(word) for word in words])


def test_the_table_is_what_the_registry_says(file, registry):
    done = add(file, registry(), "--offline", "--key", "hub.key")
    assert (done.exit_code, done.stdout) == (
        0,
        f"added osmosis-1 to {file}: http://one:26657, https://two\n",
    )
    assert "note: fees can also be paid in uion\n" in done.stderr
    file.write_text(file.read_text() + OTHER + PATH)
    chain = read_config(file).chains[0]
    assert (chain.id, chain.prefix, chain.rpc) == (
        "osmosis-1",
        "osmo",
        ("http://one:26657", "https://two/rpc"),
    )
    assert (chain.fees.denom, chain.fees.price) == ("uosmo", Fraction(25, 1000))
    assert (chain.key.file, chain.key.type) == (str(file.parent / "hub.key"), "secp256k1")


def test_a_chain_is_added_to_what_is_there_and_once(file, registry):
    file.write_text(OTHER)
    file.chmod(0o640)
    assert add(file, registry(), "--offline", "--nodes", "1").exit_code == 0
    text = file.read_text()
    assert text.startswith(OTHER)
    assert 'rpc = ["http://one:26657"]' in text
    assert file.stat().st_mode & 0o777 == 0o640
    again = add(file, registry(), "--offline")
    assert (again.exit_code, file.read_text()) == (2, text)
    assert f"{file}: has osmosis-1 already" in again.stderr
    assert [each.name for each in file.parent.iterdir() if each.is_file()] == ["relayer.toml"]


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"key_algos": ["ethsecp256k1"]}, "ethsecp256k1"),
        ({"key_algos": ["ethsecp256k1"], "extra_codecs": ["injective"]}, "injective"),
        ({}, ""),
    ],
)
def test_the_type_of_accounts(registry, changes, kind):
    assert read_entry(str(registry(**changes)), "osmosis").key_type == kind


@pytest.mark.parametrize(
    ("tokens", "denom", "price"),
    [
        ([], "", "0"),
        ([{"denom": "ua;b"}], "", "0"),
        ([{"denom": "uatom"}], "uatom", "0"),
        ([{"denom": "uatom", "fixed_min_gas_price": 0}], "uatom", "0"),
        ([{"denom": "aevmos", "average_gas_price": 25000000000}], "aevmos", "25000000000"),
        ([{"denom": "uatom", "low_gas_price": -1}], "uatom", "0"),
        ([{"denom": "uatom", "low_gas_price": 1e-300}], "uatom", "0"),
        ([{"denom": "uatom", "low_gas_price": "1e-999999999"}], "uatom", "0"),
        ([{"denom": "uatom", "low_gas_price": "sNaN"}], "uatom", "0"),
        ([{"denom": "uatom", "low_gas_price": "Infinity"}], "uatom", "0"),
    ],
)
def test_fees(registry, tokens, denom, price):
    chain = read_entry(str(registry(fees={"fee_tokens": tokens})), "osmosis")
    assert (chain.denom, Decimal(chain.price)) == (denom, Decimal(price))


def test_an_entry_of_a_testnet_and_of_a_chain_that_is_no_more(registry):
    folder = str(registry("testnets/osmosistestnet", chain_id="osmo-test-5", status="killed"))
    chain = read_entry(folder, "osmosistestnet")
    assert (chain.id, chain.notes[0]) == ("osmo-test-5", "the registry says that the chain is 'killed'")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"chain_id": 'x"]\n[relayer]'}, "its chain id "),
        ({"bech32_prefix": "Ab"}, "its prefix of addresses 'Ab' cannot be one"),
        ({"apis": {"rpc": []}}, "names no RPC node"),
        ({"apis": 7}, "is no entry of a chain registry"),
        ({"x": "y" * MAX_BYTES}, f"has more than {MAX_BYTES} bytes"),
    ],
)
def test_an_entry_that_cannot_be_used_is_named_and_nothing_is_written(file, registry, changes, reason):
    folder = registry(**changes)
    with pytest.raises(WrongConfiguration) as refused:
        read_entry(str(folder), "osmosis")
    assert refused.value.file == f"{folder}/osmosis/chain.json"
    assert refused.value.reason.startswith(reason)
    assert add(file, folder, "--offline").exit_code == 2
    assert not file.exists()


@pytest.mark.parametrize("name", ["../osmosis", "Osmosis", "", "a/b"])
def test_a_name_that_cannot_be_one_is_wrong_use(file, registry, name):
    done = add(file, registry(), name=name)
    assert (done.exit_code, "is no name in a chain registry" in done.stderr) == (2, True)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(*self.server.files.get(self.path, (404, b"no")))

    def do_POST(self):
        asked = msgspec.json.decode(self.rfile.read(int(self.headers["Content-Length"])))
        result = {"node_info": {"network": self.server.chains.get(self.path, "")}, "sync_info": {}}
        self.answer(200, json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}).encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Stay silent."""


@pytest.fixture
def server():
    """A server of files, and of nodes by path."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.files, server.chains = {}, {}
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_nodes_that_answer_for_the_chain_are_taken(file, server):
    rpc = [{"address": f"{server.url}{path}"} for path in ("/other", "/none", "/good", "/late")]
    rpc.append({"address": "http://127.0.0.1:1"})
    server.chains |= {"/other": "osmosis-9", "/good": "osmosis-1", "/late": "osmosis-1"}
    server.files["/registry/osmosis/chain.json"] = 200, json.dumps(ENTRY | {"apis": {"rpc": rpc}}).encode()
    assert add(file, f"{server.url}/registry/").exit_code == 0
    assert f'rpc = ["{server.url}/good", "{server.url}/late"]' in file.read_text()
    server.chains.clear()
    file.unlink()
    done = add(file, f"{server.url}/registry")
    assert (done.exit_code, "none of osmosis-1's 5 nodes in the registry answers" in done.stderr) == (1, True)
    assert not file.exists()


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (404, b"", "the registry has no chain 'osmosis'"),
        (302, b"", "cannot be fetched: HTTP status 302"),
        (200, b"<html>", "is no entry of a chain registry"),
        (200, b" " * (MAX_BYTES + 1), f"has more than {MAX_BYTES} bytes"),
    ],
)
def test_a_registry_that_does_not_give_the_entry(server, status, body, reason):
    server.files["/osmosis/chain.json"] = status, body
    with pytest.raises(WrongConfiguration) as refused:
        read_entry(server.url, "osmosis")
    assert refused.value.reason.startswith(reason)
