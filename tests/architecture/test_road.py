"""The road of a packet is short: how much of the source a reader must have open to follow one."""

import sys
from pathlib import Path

import pytest

from benchmarks.packets_world import World
from pyibc.core import native
from pyibc.core.packet.messages import MsgRecvPacket
from pyibc.installation import PACKAGES
from tools.mutants.marks import without_marks

ROOT = Path(__file__).resolve().parents[2]
HOST = {"iavl", "localnet"}
HOST_CHAIN = Path("pyibc/chain")
"""A chain's own: another host has others."""

MOST_FILES = 25
MOST_LINES = 300


@pytest.fixture(scope="module")
def road():
    """The files whose functions one `MsgRecvPacket` calls, on a chain that has received a packet before."""
    world = World(keys=1, balances=3, users=1)
    world.a.make_block(world.txs(world.a, world.users, world.transfers(2)))
    before, packet = world.recvs(world.sent_in_last_block())
    ctx, route = world.b.app.query_context(), world.b.app.pipeline.messages()[MsgRecvPacket.TYPE_URL]
    route.deliver(ctx, route.decode(before.value))
    message, called = route.decode(packet.value), set()

    def note(frame, event, _):
        if event == "call":
            called.add(frame.f_code.co_filename)

    profile = sys.getprofile()
    sys.setprofile(note)
    try:
        route.deliver(ctx, message)
    finally:
        sys.setprofile(profile)
    ours = [Path(name).relative_to(ROOT) for name in called if Path(name).is_relative_to(ROOT)]
    shipped = [path for path in ours if path.parts[0] in {*PACKAGES} - HOST]
    return sorted(str(path) for path in shipped if not path.is_relative_to(HOST_CHAIN))


def test_a_received_packet_runs_through_few_files(road):
    both_ends = {"handlers/dispatch.py", "pyibc/apps/transfer/app.py"}
    assert both_ends <= {*road}
    seam = native.NATIVE is not None
    assert len(road) <= MOST_FILES + seam, "\n".join([f"{len(road)} files:", *road])


def test_no_file_on_the_road_is_long(road):
    lines = {name: without_marks((ROOT / name).read_text()).count("\n") for name in road}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}
