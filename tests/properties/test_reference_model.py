"""Random schedules on two real chains and on the reference model of channels: equal after every block."""

import ast
import sys
from pathlib import Path
from typing import ClassVar

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.model import reference as reference_model
from conformance.model.schedule import Schedule, mostly
from tests.sampling import rounds

SUCCESS = b'{"result":"AQ=="}'
REFUSALS = [b'{"error":"ABCI code: %d: error handling packet: see events for details"}' % n for n in (5, 7)]
OTHERS = [b'{"result": "AQ=="}', b"opaque", *REFUSALS]


class Channels(Schedule):
    """Handshakes, ordered and unordered packets, coins, closing."""

    STEPS: ClassVar = {
        "open_init": 1,
        "open_try": 2,
        "open_ack": 2,
        "open_confirm": 2,
        "close": 2,
        "close_confirm": 2,
        "send": 8,
        "transfer": 4,
        "receive": 12,
        "answer": 1,
        "answer_at_last": 2,
        "acknowledge": 10,
        "timeout": 6,
        "timeout_on_close": 3,
    }

    def __init__(self):
        super().__init__()
        self.world.open("mock", False, version="other")
        self.world.open("mock", True)
        self.world.open("transfer", False)
        self.world.open("mock", True, "connection-1")

    def place(self, r, twin, port=""):
        """One of a chain's channel ends."""
        return r.choice([place for place in twin.model.state.ends if port in {"", place[0]}])

    def working_place(self, r, twin):
        """Mostly an open end of the scripted application's, more often an ordered one."""
        ends = twin.model.state.ends
        open_ = [place for place, end in ends.items() if end.state == "OPEN" and place[0] == "mock"]
        ordered = [place for place in open_ if ends[place].ordered]
        return mostly(r, r.choice(open_ + ordered), self.place(r, twin)) if open_ else self.place(r, twin)

    def changed(self, r, packet):
        """The packet, mostly as it was sent."""
        spoilt = [
            {"data": b"spoilt"},
            {"until_ns": packet.until_ns + 1},
            {"until_height": packet.until_height + 1},
            {"sequence": packet.sequence + 1},
            {"source": ("mock", "channel-0")},
            {"source": ("nobody", "channel-0")},
            {"destination": ("mock", "channel-7")},
            {"destination": ("mock", "channel-1")},
        ]
        return packet._replace(**mostly(r, {}, *spoilt))

    def packet(self, r, sender, wanted):
        """One that a chain sent: mostly the first of those for which `wanted` holds."""
        fitting = [packet for packet in sender.packets if wanted(packet)]
        packet = r.choice(fitting[:2]) if fitting and r.random() < 0.8 else r.choice(sender.packets)
        return self.changed(r, packet)

    # -- handshakes

    def open_init(self, r):
        twin, _ = self.side(r)
        port = mostly(r, "mock", "transfer")
        version = r.choice(["", "mock-version", "ics20-1", "other"])
        connection = r.choice(["connection-0", "connection-0", "connection-1", "connection-9"])
        self.tell(r, twin, "open_init", port, r.random() < 0.5, connection, version)

    def open_try(self, r):
        twin, other = self.side(r)
        asked = [place for place, end in other.model.state.ends.items() if end.state == "INIT"]
        far = r.choice(asked) if asked else self.place(r, other)
        end = other.model.state.ends[far]
        connection = mostly(r, other.model.connections[end.connection][0], "connection-0", "connection-9")
        ordered, version = mostly(r, end.ordered, not end.ordered), mostly(r, end.version, "other")
        height = self.height(r, twin)
        self.tell(r, twin, "open_try", end.far[0], ordered, connection, far, version, height)

    def half(self, r, twin, state):
        """An end whose handshake goes on, or any other."""
        halves = [place for place, end in twin.model.state.ends.items() if end.state == state]
        return mostly(r, r.choice(halves), self.place(r, twin)) if halves else self.place(r, twin)

    def open_ack(self, r):
        twin, other = self.side(r)
        place, there = self.half(r, twin, "INIT"), other.model.state.ends
        fitting = [far for far, end in there.items() if end.far == place and end.state == "TRYOPEN"]
        far = r.choice(fitting) if fitting else self.place(r, other)
        version = mostly(r, there[far].version, "other")
        self.tell(r, twin, "open_ack", place, far[1], version, self.height(r, twin))

    def open_confirm(self, r):
        twin, _ = self.side(r)
        self.tell(r, twin, "open_confirm", self.half(r, twin, "TRYOPEN"), self.height(r, twin))

    def close(self, r):
        twin, _ = self.side(r)
        place = self.place(r, twin)
        if r.random() < 0.5:
            self.tell(r, twin, "close_init", place)
        else:
            twin.act(("close", (place,)))
            twin.block()

    def close_confirm(self, r):
        twin, other = self.side(r)
        closed = [end.far for end in other.model.state.ends.values() if end.state == "CLOSED"]
        ours = [place for place in closed if place in twin.model.state.ends] or [self.place(r, twin)]
        self.tell(r, twin, "close_confirm", r.choice(ours), self.height(r, twin))

    # -- packets

    def send(self, r):
        twin, _ = self.side(r)
        data = r.choice([b"hello", b"hello", b"hello", b"later", b"refuse", b""])
        for _ in range(r.choice([1, 1, 2, 3])):
            twin.act(("send_packet", (self.working_place(r, twin), data, *self.until(r, twin))))
        if r.random() < 0.7:
            twin.block()

    def transfer(self, r):
        twin, other = self.side(r)
        place, amount = self.place(r, twin, "transfer"), r.choice([1, 7, 300, 1_001])
        receiver, denom = mostly(r, other.model.user, "nobody"), self.denom(r, twin)
        until = self.until(r, twin)
        self.tell(r, twin, "transfer", place, denom, amount, receiver, *until, person=1)

    def receive(self, r):
        twin, other = self.side(r)
        if other.packets:
            height, here = self.height(r, twin), twin.model.state

            def is_new(packet):
                end = here.ends.get(packet.destination)
                if end is not None and end.ordered:
                    return packet.sequence - here.recv[packet.destination] in {0, 1}
                return (packet.destination, packet.sequence) not in here.receipts

            self.tell(r, twin, "receive", self.packet(r, other, is_new), height)

    def answer(self, r):
        """Mostly what nobody waits for: an application of ours would not, another's might."""
        twin, other = self.side(r)
        if other.packets:
            packet = self.packet(r, other, lambda packet: packet.data == b"later")
            twin.act(("answer", (packet, r.choice([SUCCESS, *OTHERS, b""]))))
            twin.block()

    def answer_at_last(self, r):
        twin, other = self.side(r)
        here = twin.model.state
        late = [packet for packet in other.packets if packet.data == b"later"]
        names = [(packet, (packet.destination, packet.sequence)) for packet in late]
        waiting = [packet for packet, name in names if name in here.receipts and name not in here.acks]
        if waiting:
            twin.act(("answer", (r.choice(waiting), r.choice([SUCCESS, *REFUSALS]))))
            twin.block()

    def acknowledge(self, r):
        twin, other = self.side(r)
        if twin.packets:
            height, acks, open_ = self.height(r, twin), other.model.state.acks, twin.model.state.commitments

            def is_answered(packet):
                known = (packet.destination, packet.sequence) in acks
                return known and (packet.source, packet.sequence) in open_

            packet = self.packet(r, twin, is_answered)
            true = acks.get((packet.destination, packet.sequence)) or SUCCESS
            self.tell(r, twin, "acknowledge", packet, mostly(r, true, SUCCESS, *OTHERS), height)

    def timeout(self, r):
        twin, other = self.side(r)
        self._take_back(r, twin, other, "timeout", lambda packet: packet.until_height < 10**6)

    def timeout_on_close(self, r):
        twin, other = self.side(r)
        ends = other.model.state.ends
        closed = {place for place, end in ends.items() if end.state == "CLOSED"}

        def is_stranded(packet):
            return packet.destination in closed

        self._take_back(r, twin, other, "timeout_on_close", is_stranded)

    def _take_back(self, r, twin, other, how, wanted):
        if twin.packets:
            height, here = self.height(r, twin), twin.model.state.commitments
            packet = self.packet(r, twin, lambda it: wanted(it) and (it.source, it.sequence) in here)
            there = other.model.past.get(height)
            next_recv = (there[1].recv if there else {}).get(packet.destination, 1)
            self.tell(r, twin, how, packet, max(1, next_recv + mostly(r, 0, 1, -1)), height)


def schedules(kind, size):
    return st.lists(
        st.tuples(st.sampled_from(kind.names()), st.integers(0, 2**32)), min_size=size // 2, max_size=size
    )


RUN = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@settings(max_examples=rounds(4, 200), **RUN)
@given(schedules(Channels, rounds(100, 200)))
def test_channels_and_their_model_agree(steps):
    Channels().run(steps)


def test_the_model_shares_nothing_with_what_it_judges():
    folder = Path(reference_model.__file__).parent
    for path in sorted(folder.glob("reference_model*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                ours = name.startswith("conformance.model.reference")
                assert ours or name.partition(".")[0] in sys.stdlib_module_names, f"{path.name}: {name}"
