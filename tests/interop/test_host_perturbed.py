"""CometBFT's own perturbations, under load: validators are paused, killed, restarted, cut off, and catch up.

As in `test/e2e/runner/perturb.go`; containers lose their network there, wires are cut here.
"""

import signal
import time

import pytest

from conformance.peers.process import free_ports
from conformance.peers.wires import Wire
from pyibc.indexer.blocks.export import BlockExporter, segment_name
from tests.interop.test_host_crashes import Load, same_hashes

pytestmark = pytest.mark.interop
PAUSE_S = 4.0  # longer than the timeouts of some rounds


def paused(node):
    for name in ("comet", "app"):
        node.processes[name].send_signal(signal.SIGSTOP)
    time.sleep(PAUSE_S)
    for name in ("app", "comet"):
        node.processes[name].send_signal(signal.SIGCONT)


def killed(node):
    node.stop()
    node.start()


def restarted(node):
    for name in ("comet", "app"):
        node.kill(name, signal.SIGTERM)
    node.start()


class Wires:
    """What validators dial each other through."""

    def __init__(self, chain):
        """Puts them into the settings of validators that have not started."""
        self.between = {}
        taken = {port for each in chain.settings.ports for port in (each.rpc, each.p2p, each.grpc)}
        ports = (port for port in free_ports(4 * len(chain.nodes) ** 2) if port not in taken)
        for near in chain.nodes:
            path = near.home / "config" / "config.toml"
            text = path.read_text()
            for far in chain.nodes:
                if far is not near:
                    self.between[near, far] = wire = Wire(far.p2p_port, next(ports))
                    assert text.count(f"@127.0.0.1:{far.p2p_port}") == 1
                    text = text.replace(f"@127.0.0.1:{far.p2p_port}", f"@127.0.0.1:{wire.port}")
            path.write_text(text)

    def of(self, node):
        return [wire for ends, wire in self.between.items() if node in ends]

    def disconnect(self, node, others):
        """For a while; it stands still, and the others go on."""
        for wire in self.of(node):
            wire.cut()
        time.sleep(0.5)  # what it has received it still finishes
        before = node.height
        others.wait_height(others.height + 5)
        assert node.height <= before + 1
        for wire in self.of(node):
            wire.heal()

    def close(self):
        for wire in self.between.values():
            wire.close()


@pytest.fixture
def wired():
    made = []

    def wire(chain):
        made.append(Wires(chain))
        return made[-1]

    yield wire
    for each in made:
        each.close()


def test_validators_that_are_cut_off_catch_up(make_host_chain, wired):
    chain = make_host_chain(4)
    wires = wired(chain)
    chain.start()
    chain.nodes[0].wait_height(3)
    load = Load(chain)
    try:
        for node in chain.nodes[2:]:
            wires.disconnect(node, chain.nodes[0])
            node.wait_height(chain.nodes[0].height + 2)
        for node in chain.nodes[2:]:  # without two of four nobody decides anything
            for wire in wires.of(node):
                wire.cut()
        time.sleep(1)
        stuck = max(node.height for node in chain.nodes)
        time.sleep(PAUSE_S)
        assert max(node.height for node in chain.nodes) <= stuck + 1
        for node in chain.nodes[2:]:
            for wire in wires.of(node):
                wire.heal()
        chain.nodes[3].wait_height(stuck + 5)
    finally:
        load.stop()
    last = max(node.height for node in chain.nodes)
    for node in chain.nodes:
        node.wait_height(last + 1)
    same_hashes(chain.nodes, last)
    assert load.accepted > 20


def exported(chain):
    return chain.nodes[0].home / "app" / "export"


def test_validators_that_are_perturbed_catch_up_and_the_export_closes_its_holes(make_host_chain, until):
    chain = make_host_chain(4, export=True)
    chain.start()
    chain.nodes[0].wait_height(3)
    load = Load(chain)
    try:
        for perturbed in (paused, killed, restarted):
            for node in chain.nodes[1:3]:
                before = max(each.height for each in chain.nodes if each is not node)
                perturbed(node)
                node.wait_height(before + 2)
        chain.nodes[0].stop()  # the validator that exports
        path = exported(chain) / segment_name(1)
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join((*lines[:3], *lines[6:-2])))
        chain.nodes[0].start()
        chain.nodes[0].wait_height(max(each.height for each in chain.nodes[1:]) + 2)
    finally:
        load.stop()
    last = max(node.height for node in chain.nodes)
    for node in chain.nodes:
        node.wait_height(last + 1)
    hashes = same_hashes(chain.nodes, last)
    assert load.accepted > 20

    def whole():
        with BlockExporter(exported(chain)) as export:
            return len(export.heights.ranges) == 1 and export.last_height >= last

    until(whole, "the export closes its holes")
    with BlockExporter(exported(chain)) as export:
        assert export.heights.ranges[0][0] == 1
        told = {height: export.block_at(height) for height in range(1, last)}
    assert {height + 1: block.app_hash.hex().upper() for height, block in told.items()} == {
        height: digest for height, digest in hashes.items() if height > 1
    }


def version(node):
    return node.rpc("status")["node_info"]["version"]


def test_validators_are_upgraded_one_by_one_and_back_under_load(make_host_chain, stock_cometbft):
    """To another CometBFT, and from Python's tree to a native one where that is built; both run at once."""
    chain = make_host_chain(4)
    patched = chain.nodes[0].binary
    switches = {stock_cometbft: {"PYIBC_NATIVE": "0"}, patched: {"PYIBC_NATIVE": ""}}

    def upgrade(node, binary):
        for name in ("comet", "app"):
            node.kill(name, signal.SIGTERM)
        node.binary = binary
        node.environment |= switches[binary]
        node.start()

    for node in chain.nodes:
        node.binary = stock_cometbft
        node.environment |= switches[stock_cometbft]
    chain.start()
    chain.nodes[0].wait_height(3)
    before = version(chain.nodes[0])
    load = Load(chain)
    try:
        for nodes, binary in ((chain.nodes, patched), (chain.nodes[1:3], stock_cometbft)):
            for node in nodes:
                known = max(each.height for each in chain.nodes if each is not node)
                upgrade(node, binary)
                node.wait_height(known + 2)
    finally:
        load.stop()
    versions = [version(node) for node in chain.nodes]
    assert versions[1:3] == [before, before]
    assert before not in (versions[0], versions[3])
    last = max(node.height for node in chain.nodes)
    for node in chain.nodes:
        node.wait_height(last + 1)
    same_hashes(chain.nodes, last)
    assert load.accepted > 20
