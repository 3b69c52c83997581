"""Real CometBFT nodes, each with an application process of its own, on loopback."""

import base64
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import msgspec
import pytest

from localnet.comet.homes import find_executable, validator_homes, write_homes
from localnet.settings import NodeSettings, Ports, funded
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.proto.cosmos.auth.v1beta1 import query_pb2 as auth_pb2
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2 as bank_pb2
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint

ROOT = Path(__file__).resolve().parents[2]
FAST = {
    "timeout_propose": "1s",
    "timeout_commit": "100ms",
    "timeout_prevote": "500ms",
    "timeout_precommit": "500ms",
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def found(name, variable):
    """A foreign program: where an environment variable says, or in the clone's own cache."""
    path = find_executable(name, variable)
    if path is not None:
        return str(path)
    pytest.skip(f"no {name}: `make cometbft` builds it where Go is, or set {variable} to its path")


@pytest.fixture(scope="session")
def cosmpy():
    """Runs cosmpy_wallet.py, by a Python of its own: cosmpy's protobuf is older than ours."""
    places = (os.environ.get("COSMPY_PYTHON"), ROOT / ".cache" / "cosmpy" / "bin" / "python")
    python = next((str(path) for path in places if path and Path(path).is_file()), None)
    if python is None:
        pytest.skip("no cosmpy: `make cosmpy` installs it, or set COSMPY_PYTHON to a Python that has it")

    def run(*words):
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(
            [python, ROOT / "tests" / "interop" / "cosmpy_wallet.py", *words],
            capture_output=True,
            text=True,
            timeout=120,
            env=environment,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="session")
def cometbft():
    return found("cometbft", "COMETBFT")


@pytest.fixture(scope="session")
def stock_cometbft():
    """CometBFT as released, beside the patched one."""
    places = (os.environ.get("COMETBFT_STOCK"), ROOT / ".cache" / "stock" / "cometbft")
    binary = next((str(path) for path in places if path and Path(path).is_file()), None)
    if binary is None:
        pytest.skip("no CometBFT as released: STOCK=1 FOLDER=.cache/stock make cometbft, or COMETBFT_STOCK")
    return binary


@pytest.fixture(scope="session")
def abci_cli():
    return found("abci-cli", "ABCI_CLI")


class Node:
    """One validator, or a full node: a home, CometBFT and an application."""

    def __init__(self, binary, home, app=("-m", "pyibc.examples.kvchain"), environment=None, abci="socket"):
        self.binary, self.home, self.app, self.abci = binary, home, list(app), abci
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
        self.rpc_port, self.p2p_port = free_port(), free_port()
        self.address = f"unix://{home}/app.sock"
        self.proxy_app = self.address if abci == "socket" else f"passthrough:{self.address}"
        self.processes = {}
        self.cometbft("init")
        self.configure({"rpc": {"laddr": f'"tcp://127.0.0.1:{self.rpc_port}"'}})
        self.configure(
            {
                "p2p": {
                    "laddr": f'"tcp://127.0.0.1:{self.p2p_port}"',
                    "addr_book_strict": "false",
                    "allow_duplicate_ip": "true",
                    "pex": "false",
                },
                "consensus": {key: f'"{value}"' for key, value in FAST.items()},
            }
        )

    def cometbft(self, *arguments):
        done = subprocess.run(
            [self.binary, *arguments, "--home", self.home], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def configure(self, sections):
        path = self.home / "config" / "config.toml"
        parts = re.split(r"^(\[\w+\])$", path.read_text(), flags=re.MULTILINE)
        for section, values in sections.items():
            at = parts.index(f"[{section}]") + 1
            for key, value in values.items():
                parts[at], count = re.subn(
                    rf"^{key} = .*$", f"{key} = {value}", parts[at], flags=re.MULTILINE
                )
                assert count == 1, key
        path.write_text("".join(parts))

    @property
    def genesis(self):
        return json.loads((self.home / "config" / "genesis.json").read_text())

    @genesis.setter
    def genesis(self, document):
        (self.home / "config" / "genesis.json").write_text(json.dumps(document))

    # -- processes

    def _spawn(self, name, command, cwd=ROOT):
        log = (self.home / f"{name}.log").open("ab")
        self.processes[name] = subprocess.Popen(
            command, stdout=log, stderr=log, cwd=cwd, env=self.environment, start_new_session=True
        )
        log.close()

    def start_app(self):
        self._spawn("app", [sys.executable, *self.app, str(self.home / "app"), self.address, self.abci])
        until((self.home / "app.sock").exists, "the application listens")

    def start_comet(self):
        where = ("--proxy_app", self.proxy_app, "--abci", self.abci)
        self._spawn("comet", [self.binary, "node", "--home", str(self.home), *where])

    def start(self):
        self.start_app()
        self.start_comet()

    def kill(self, name, number=signal.SIGKILL):
        process = self.processes.pop(name, None)
        if process is not None:
            process.send_signal(number)
            return process.wait(20)
        return None

    def comet_ends(self):
        """After its application: most times by itself over the socket; over gRPC it waits for another."""
        process = self.processes.get("comet")
        if process is not None and self.abci == "socket":
            with contextlib.suppress(subprocess.TimeoutExpired):  # as a supervisor does, who waits less
                process.wait(20)
        self.kill("comet")

    def stop(self):
        for name in ("comet", "app"):
            self.kill(name)

    def log(self, name):
        path = self.home / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    # -- questions

    def rpc(self, method, **params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.rpc_port}", body, {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                told = json.load(answer)
        except urllib.error.HTTPError as error:
            told = json.load(error)
        if "error" in told:
            raise RuntimeError(told["error"])
        return told["result"]

    @property
    def height(self):
        try:
            return int(self.rpc("status")["sync_info"]["latest_block_height"])
        except OSError:
            return 0

    def wait_height(self, height, seconds=60):
        until(lambda: self.height >= height, f"block {height}", seconds, lambda: self.log("comet")[-3000:])

    def app_hash(self, height):
        """Of the state before block `height`, as its header has it."""
        return self.rpc("block", height=str(height))["block"]["header"]["app_hash"]

    def commit_tx(self, tx):
        return self.rpc("broadcast_tx_commit", tx=base64.b64encode(tx).decode())

    def value(self, key):
        told = self.rpc("abci_query", path="", data=key.hex())["response"]
        return base64.b64decode(told["value"] or "")


class HostNode(Node):
    """A validator of our host application, in a home that `write_homes` wrote."""

    def __init__(self, binary, home, ports, app, environment, abci):
        self.binary, self.home, self.app, self.abci = binary, home, list(app), abci
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
        self.rpc_port, self.p2p_port = ports.rpc, ports.p2p
        self.proxy_app = self.address = "unix://app.sock"
        self.processes = {}

    def start_app(self):
        (self.home / "app.sock").unlink(missing_ok=True)
        self._spawn("app", [sys.executable, *self.app, str(self.home)])

    def start_comet(self):
        until((self.home / "app.sock").exists, "the application listens", 30, lambda: self.log("app"))
        self._spawn("comet", [self.binary, "node", "--home", "."], cwd=self.home)

    def app_hash(self, height):
        try:
            return super().app_hash(height)
        except RuntimeError:  # others may be a block ahead
            self.wait_height(height)
            return super().app_hash(height)

    def add_config(self, text):
        path = self.home / "config" / "config.toml"
        path.write_text(path.read_text() + text)

    def grpc(self, path, request):
        told = self.rpc("abci_query", path=path, data=request.SerializeToString().hex())["response"]
        return base64.b64decode(told["value"] or "")

    def balance(self, address, denom="stake"):
        request = bank_pb2.QueryBalanceRequest(address=address, denom=denom)
        answer = self.grpc("/cosmos.bank.v1beta1.Query/Balance", request)
        return int(bank_pb2.QueryBalanceResponse.FromString(answer).balance.amount)

    def sequence(self, address):
        request = auth_pb2.QueryAccountInfoRequest(address=address)
        answer = self.grpc("/cosmos.auth.v1beta1.Query/AccountInfo", request)
        return auth_pb2.QueryAccountInfoResponse.FromString(answer).info.sequence

    def send(self, tx):
        return self.rpc("broadcast_tx_sync", tx=base64.b64encode(tx).decode())

    def endpoint(self, wallet):
        return RpcEndpoint.connect(f"http://127.0.0.1:{self.rpc_port}", wallet, GasConfig(), RpcConfig())


APPLICATION = ("-m", "localnet.comet.application")


class HostChain:
    """Validators of one chain, and its funded wallets."""

    def __init__(self, nodes, settings, wallets):
        self.nodes, self.settings, self.wallets = nodes, settings, wallets

    def start(self, nodes=None):
        for node in nodes or self.nodes:
            node.start_app()
        for node in nodes or self.nodes:
            node.start_comet()

    def bank_send(self, index, sequence, amount=1, denom="stake", **fields):
        """Wallet number `index` pays the next one."""
        sender = self.wallets[index]
        receiver = self.wallets[(index + 1) % len(self.wallets)]
        message = encode_send(sender.address.text, receiver.address.text, (coin(denom, amount),))
        options = {"account_number": index, "sequence": sequence, "gas_limit": 1_000_000, **fields}
        return sender.sign_tx([AnyMessage(MSG_SEND, message)], chain_id=self.settings.chain_id, **options)


class Tee:
    """Stands between CometBFT and an application and keeps what goes by, both ways."""

    def __init__(self, path, address):
        self.address, self._behind = f"unix://{path}", address.removeprefix("unix://")
        self.streams = []
        """A connection each: what CometBFT sent, what the application sent."""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._listener.settimeout(0.2)
        self._open = True
        self._acceptor = threading.Thread(target=self._accept)
        self._acceptor.start()

    def _accept(self):
        pumps, ends = [], []
        while self._open:
            try:
                front, _ = self._listener.accept()
            except TimeoutError:
                continue
            front.settimeout(None)
            back = socket.socket(socket.AF_UNIX)
            back.connect(self._behind)
            asked, answered = bytearray(), bytearray()
            self.streams.append((asked, answered))
            ends += [front, back]
            for way in ((front, back, asked), (back, front, answered)):
                pumps.append(threading.Thread(target=self._pump, args=way))
                pumps[-1].start()
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for pump in pumps:
            pump.join()
        for end in ends:
            end.close()

    @staticmethod
    def _pump(source, target, kept):
        with contextlib.suppress(OSError):
            while chunk := source.recv(65536):
                kept += chunk
                target.sendall(chunk)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self._open = False
        self._acceptor.join()
        self._listener.close()


@pytest.fixture
def tee(tmp_path):
    """Makes tees: `tee(address)`."""
    made = []

    def make(address):
        made.append(Tee(tmp_path / f"tee{len(made)}.sock", address))
        return made[-1]

    yield make
    for each in made:
        each.close()


def until(true, what, seconds=30, more=lambda: ""):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}\n{more()}")
        time.sleep(0.05)


@pytest.fixture(name="until")
def until_fixture():
    return until


@pytest.fixture
def abci():
    """How CometBFT speaks with its applications; tests of what holds either way are parametrised."""
    return "socket"


@pytest.fixture
def make_node(cometbft, tmp_path, abci):
    """Makes nodes, not started; all are killed at the end."""
    nodes = []

    def make(**settings):
        node = Node(cometbft, tmp_path / f"node{len(nodes)}", abci=abci, **settings)
        nodes.append(node)
        return node

    yield make
    for node in nodes:
        node.stop()


@pytest.fixture
def make_host_chain(cometbft, tmp_path, abci):
    """Makes chains of our host application, not started; all of their processes are killed at the end."""
    made = []

    def make(validators, joining=0, chain_id="host-1", wallets=4, app=APPLICATION, block_time_ms=100, **more):
        """`joining`: how many of the homes have no validator in the genesis."""
        signers = [Wallet.from_seed(f"wallet {at}", "cosmos") for at in range(wallets)]
        funds = [coin("stake", 10**12), coin("token", 10**12)]
        state = funded((each.address.text, funds) for each in signers)
        settings = NodeSettings(
            chain_id=chain_id,
            rpc_port=0,
            validators=validators + joining,
            seed="interop",
            prefix="cosmos",
            block_time_ms=block_time_ms,
            genesis_time_ns=time.time_ns(),
            app_state=state,
            consensus="cometbft",
            abci=abci,
            **more,
        )
        ports = tuple(Ports(free_port(), free_port(), free_port()) for _ in range(settings.validators))
        settings = msgspec.structs.replace(settings, ports=ports, rpc_port=ports[0].rpc)
        folder = tmp_path / chain_id
        write_homes(folder, settings)
        nodes = []
        for at, home in enumerate(validator_homes(folder, settings)):
            environment = {"PYTHONHASHSEED": str(at + 1)}
            nodes.append(HostNode(cometbft, home, settings.ports[at], app, environment, abci))
            genesis = nodes[-1].genesis
            genesis["validators"] = genesis["validators"][:validators]
            nodes[-1].genesis = genesis
        made.extend(nodes)
        return HostChain(nodes, settings, signers)

    yield make
    for node in made:
        node.stop()


@pytest.fixture
def make_network(make_node):
    """Makes nodes that know each other: `validators` with power, then `full` without; not started."""

    def make(validators, full=0, **settings):
        nodes = [
            make_node(environment={"PYTHONHASHSEED": str(number + 1)}, **settings)
            for number in range(validators + full)
        ]
        genesis = nodes[0].genesis
        genesis["validators"] = [node.genesis["validators"][0] for node in nodes[:validators]]
        ids = [node.cometbft("show-node-id") for node in nodes]
        for at, node in enumerate(nodes):
            node.genesis = genesis
            peers = [f"{ids[i]}@127.0.0.1:{nodes[i].p2p_port}" for i in range(len(nodes)) if i != at]
            node.configure({"p2p": {"persistent_peers": f'"{",".join(peers)}"'}})
        return nodes

    return make
