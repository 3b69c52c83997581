"""A host that shares nothing with localnet embeds the plugin: real headers and proofs, the stock relayer."""

import ast
import json
import subprocess
import sys
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import NamedTuple

import pytest
from nacl.signing import SigningKey

from conformance.kit.seconds import SECONDS
from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware
from ibc_module.json_message import json_message
from ibc_module.plugin import Config
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.settings import Genesis, funded
from pyibc.apps.packet_count import PacketCountPlugin
from pyibc.apps.transfer.coins import escrow_address
from pyibc.apps.transfer.denom import parse_denom
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.codec.anys import AnyMessage
from pyibc.core.address import AddressCodec
from pyibc.core.application.middleware import PassThroughApp, PassThroughSender
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.errors import InsufficientBalance, InvalidAddress
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.packet.acknowledgement import failure
from pyibc.core.setup_error import InvalidGenesis
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.examples import ping_app
from pyibc.examples.ping_app import PING, Ping, PingPlugin
from pyibc.examples.tinychain import TinyBank, TinyChain
from pyibc.examples.tinychain.endpoint import TinyEndpoint
from pyibc.examples.tinychain.envelope import address_of
from pyibc.relayer.links.link import relay
from pyibc.relayer.links.options import Options
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.paths.path import Path as IbcPath
from pyibc.testing.pair import SECOND, START_NS, ManualClock

FOREVER = START_NS + 10**18
QUICK = Options(sleep=lambda _seconds: None, clock=SECONDS, retry_wait_s=inf)
TINY = AddressCodec("tiny")


def seed(name: str) -> bytes:
    return sha256(name.encode()).digest()


def tiny_address(name: str) -> str:
    return TINY.encode(address_of(bytes(SigningKey(seed(name)).verify_key))).text


class Net(NamedTuple):
    tiny: TinyChain
    local: LocalChain
    bank: TinyBank
    alice: TinyEndpoint  # on tiny
    bob: LocalEndpoint  # on local
    on_tiny: TinyEndpoint  # the relayer
    on_local: LocalEndpoint
    path: IbcPath

    def relay(self):
        return relay(self.path, self.on_tiny, self.on_local, options=QUICK)

    def tiny_balance(self, address: bytes, denom: str) -> int:
        return self.bank.balance(self.tiny.reader(), address, denom)

    def local_balance(self, denom: str) -> int:
        app = self.local.app
        return app.bank.balance(app.query_context(), self.bob.wallet.address.raw, denom)


def transfer(sender, receiver, denom, amount, channel, height=ZERO_HEIGHT) -> AnyMessage:
    message = MsgTransfer("transfer", channel, denom, str(amount), sender, receiver, height, FOREVER, "")
    return pack_msg(message)


def events_of(chain: TinyChain, kind: str, key: str) -> list[str]:
    outcomes = [outcome for block in chain.blocks for outcome in block.txs]
    events = [event for outcome in outcomes for event in outcome.events if event[0] == kind]
    return [dict(attributes)[key] for _, attributes in events]


def build(extra=(), far_extra=(), port="transfer", version="ics20-1") -> Net:
    """A tinychain and a localnet chain with an open channel; `extra` plugins come before the module's."""
    bank = TinyBank(TINY)
    genesis = {"coins": {tiny_address("alice"): {"grain": 1_000}}}
    parts = [bank, *extra, *plugins(Config(account_prefix="tiny"))]
    tiny = TinyChain("tiny-7", parts, genesis, [seed(f"validator {n}") for n in range(3)], ManualClock())
    wallets = [Wallet.from_seed(name, "cosmos") for name in ("bob", "relayer")]
    holders = [(wallet.address.text, [coin("stake", 10**9)]) for wallet in wallets]
    local = LocalChain(
        "local-1",
        plugins=[*far_extra, *plugins(Config())],
        genesis=Genesis(funded(holders), START_NS),
        clock=ManualClock(),
    )
    alice, on_tiny = (TinyEndpoint(tiny, seed(name), TINY) for name in ("alice", "relayer"))
    bob, on_local = (LocalEndpoint(local, wallet) for wallet in wallets)
    path = make_path(on_tiny, on_local, port, Order.UNORDERED, version)
    return Net(tiny, local, bank, alice, bob, on_tiny, on_local, path)


@pytest.fixture
def net():
    made = build()
    yield made
    made.local.close()


def test_coins_go_there_and_come_back(net) -> None:
    there = transfer(net.alice.signer, net.bob.signer, "grain", 300, net.path.a.channel_id)
    assert net.alice.submit([there]).code == 0
    assert net.relay().acknowledged == 1
    escrow = escrow_address("transfer", net.path.a.channel_id)
    voucher = parse_denom(f"transfer/{net.path.b.channel_id}/grain").coin_denom
    assert net.tiny_balance(net.alice.address.raw, "grain") == 700
    assert net.tiny_balance(escrow, "grain") == 300
    assert net.local_balance(voucher) == 300

    back = transfer(net.bob.signer, net.alice.signer, voucher, 120, net.path.b.channel_id)
    assert net.bob.submit([back]).code == 0
    assert net.relay().acknowledged == 1
    assert net.tiny_balance(net.alice.address.raw, "grain") == 820
    assert net.tiny_balance(escrow, "grain") == 180
    assert net.local_balance(voucher) == 180


def test_a_transfer_that_tiny_refuses_is_refunded(net) -> None:
    """An address of another chain: tinychain writes the error acknowledgement."""
    send = transfer(net.bob.signer, net.bob.signer, "stake", 50, net.path.b.channel_id)
    assert net.bob.submit([send]).code == 0
    assert net.local_balance("stake") == 10**9 - 50
    assert net.relay().acknowledged == 1
    assert net.local_balance("stake") == 10**9
    written = events_of(net.tiny, "write_acknowledgement", "packet_ack_hex")
    assert [bytes.fromhex(each) for each in written] == [failure(InvalidAddress("receiver", ""))]


@pytest.mark.parametrize("home", ["tiny", "local"])
def test_a_late_transfer_is_refunded(net, home) -> None:
    if home == "tiny":
        late = Height(1, net.local.height + 1)
        send = transfer(net.alice.signer, net.bob.signer, "grain", 50, net.path.a.channel_id, late)
        assert net.alice.submit([send]).code == 0
    else:
        late = Height(7, net.tiny.last.height + 1)
        send = transfer(net.bob.signer, net.alice.signer, "stake", 50, net.path.b.channel_id, late)
        assert net.bob.submit([send]).code == 0
    done = net.relay()
    assert (done.acknowledged, done.timed_out) == (0, 1)
    assert net.tiny_balance(net.alice.address.raw, "grain") == 1_000
    assert net.local_balance("stake") == 10**9


def test_an_exported_state_starts_a_chain(net) -> None:
    """All of it is there again: a voucher can still be sent home."""
    there = transfer(net.bob.signer, net.alice.signer, "stake", 9, net.path.b.channel_id)
    assert net.bob.submit([there]).code == 0
    assert net.relay().acknowledged == 1
    exported = json.loads(json.dumps(net.tiny.pipeline.export_genesis(net.tiny.reader())))
    parts = [TinyBank(TINY), *plugins(Config(account_prefix="tiny"))]
    again = TinyChain("tiny-8", parts, exported, [seed("validator")], ManualClock())
    assert again.pipeline.export_genesis(again.reader()) == exported
    voucher = parse_denom(f"transfer/{net.path.a.channel_id}/stake").coin_denom
    alice = TinyEndpoint(again, seed("alice"), TINY)
    home = transfer(alice.signer, net.bob.signer, voucher, 4, net.path.a.channel_id)
    assert alice.submit([home]).code == 0
    assert net.bank.balance(again.reader(), alice.address.raw, voucher) == 5


@pytest.mark.parametrize("module", ["ibc", "transfer"])
@pytest.mark.parametrize("entries", ["text", [{"key": "AA=="}], [{"key": "AA==", "value": "?"}]])
def test_a_malformed_genesis_is_refused(module, entries) -> None:
    parts = [TinyBank(TINY), *plugins(Config(account_prefix="tiny"))]
    with pytest.raises(InvalidGenesis, match=rf"^genesis: {module}\.other_entries"):
        TinyChain("tiny-1", parts, {module: {"other_entries": entries}}, [seed("validator")], ManualClock())


def test_an_application_of_ones_own() -> None:
    net = build([PingPlugin()], [PingPlugin()], ping_app.PORT, ping_app.VERSION)
    ask = json_message(PING, Ping(net.alice.signer, net.path.a.channel_id, FOREVER))
    in_time = net.local.tip().time_ns + SECOND
    soon = json_message(PING, Ping(net.alice.signer, net.path.a.channel_id, in_time))
    assert net.alice.submit([ask, ask, soon]).code == 0
    net.local.make_block()
    done = net.relay()
    assert (done.acknowledged, done.timed_out) == (2, 1)
    on_tiny, on_local = net.tiny.reader(), net.local.app.query_context()
    assert [ping_app.count(on_tiny, what) for what in ("received", "answered", "lost")] == [0, 2, 1]
    assert [ping_app.count(on_local, what) for what in ("received", "answered", "lost")] == [2, 0, 0]
    net.local.close()


def test_a_middleware_counts_what_was_taken() -> None:
    counting = PacketCountPlugin("transfer")
    net = build([counting])
    there = transfer(net.alice.signer, net.bob.signer, "grain", 3, net.path.a.channel_id)
    failing = transfer(net.alice.signer, net.bob.signer, "grain", 10**6, net.path.a.channel_id)
    assert net.alice.submit([there, there]).code == 0
    assert net.alice.submit([there, failing]).code == InsufficientBalance.code
    back = transfer(net.bob.signer, net.alice.signer, "stake", 5, net.path.b.channel_id)
    refused = transfer(net.bob.signer, "nobody", "stake", 5, net.path.b.channel_id)
    assert net.bob.submit([back, refused]).code == 0
    assert net.relay().acknowledged == 4
    reader = net.tiny.reader()
    assert counting.read(reader, "sent", net.path.a.channel_id) == 2
    assert counting.total(reader, "received") == 1
    net.local.close()


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_hook_order_is_the_order_of_configuration(order) -> None:
    """Blocks, and layers around an application: the first in the list is outermost."""
    seen: list[str] = []
    net = build([Telling(name, seen) for name in order])
    net.tiny.make_block()
    first, second = order
    assert seen[-2:] == [f"end {first}", f"end {second}"]
    seen.clear()
    there = transfer(net.alice.signer, net.bob.signer, "grain", 3, net.path.a.channel_id)
    assert net.alice.submit([there]).code == 0
    assert [each for each in seen if "send" in each] == [f"send {second}", f"send {first}"]
    seen.clear()
    back = transfer(net.bob.signer, net.alice.signer, "stake", 5, net.path.b.channel_id)
    assert net.bob.submit([back]).code == 0
    net.relay()
    assert [each for each in seen if "recv" in each] == [f"recv {first}", f"recv {second}"]
    net.local.close()


class Telling:
    """A plugin that writes down when it is called."""

    def __init__(self, name: str, seen: list[str]) -> None:
        self.tell = lambda what: seen.append(f"{what} {name}")

    @hookimpl
    def chain_end_block(self, ctx) -> None:
        self.tell("end")

    @hookimpl
    def ibc_register_middleware(self):
        return [Middleware("transfer", self.wrap, self.wrap_sender)]

    def wrap(self, below, services):
        outer = PassThroughApp(below)
        outer.on_recv_packet = lambda *args: (self.tell("recv"), below.on_recv_packet(*args))[1]
        return outer

    def wrap_sender(self, above):
        outer = PassThroughSender(above)
        outer.send_packet = lambda *args: (self.tell("send"), above.send_packet(*args))[1]
        return outer


def test_the_host_imports_no_other_host() -> None:
    folder = Path(__file__).parents[2] / "pyibc" / "examples"
    for file in sorted(folder.rglob("*.py")):
        tree = ast.parse(file.read_text())
        names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        names += [each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names]
        if file.parent.name == "kvchain":  # no host of IBC: a chain on the ABCI server
            names = [name for name in names if not f"{name}.".startswith("abci_server.")]
        assert not [name for name in names if name.split(".")[0] == "localnet"], file
    lines = (folder / "tinychain" / "chain.py").read_text().splitlines()
    assert len(lines) <= 170


def test_nothing_loads_localnet() -> None:
    """Neither the plugin, nor the relayer, nor what they import."""
    program = (
        "import sys, pyibc.examples.tinychain, pyibc.examples.ping_app, ibc_module.plugin;"
        "import pyibc.relayer.links.link, pyibc.relayer.paths.open_path;"
        "sys.exit(any(name.split('.')[0] == 'localnet' for name in sys.modules))"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", program], cwd=root, check=False).returncode == 0
