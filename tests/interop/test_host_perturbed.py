"""CometBFT's own perturbations, under load: validators are paused, killed, restarted; each catches up.

As `test/e2e/runner/perturb.go` has them, but for `disconnect`, which needs a network of containers.
"""

import signal
import time

import pytest

from ibc_indexer.export import BlockExporter, segment_name
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


def exported(chain):
    return chain.nodes[0].home / "app" / "export"


@pytest.mark.slow
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
