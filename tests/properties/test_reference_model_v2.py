"""Random schedules on two real chains and on the reference model of IBC v2: equal after every block."""

import json
from typing import ClassVar

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.model.schedule import Schedule, mostly
from pyibc.testing.pair import SECOND
from tests.sampling import rounds

DAY_S = 86_400


class Clients(Schedule):
    """Packets from client to client, over the same light clients as channels."""

    STEPS: ClassVar = {
        "register": 1,
        "configure": 1,
        "everybody_may_relay": 1,
        "send": 8,
        "transfer": 4,
        "receive": 12,
        "answer": 3,
        "acknowledge": 10,
        "timeout": 7,
    }

    def __init__(self):
        super().__init__()
        for twin, other in (self.twins, self.twins[::-1]):
            twin.tell(0, ("register", (twin.model.client, other.model.client)))
            twin.block()

    def changed(self, r, packet):
        """The packet, mostly as it was sent."""
        spoilt = [
            {"payload": (*packet.payload[:4], b"spoilt")},
            {"payload": (packet.payload[0], "nobody", *packet.payload[2:])},
            {"payload": ("nobody", *packet.payload[1:])},
            {"until_s": packet.until_s + 1},
            {"sequence": packet.sequence + 1},
            {"source": "07-tendermint-7"},
            {"destination": "07-tendermint-8"},
        ]
        return packet._replace(**mostly(r, {}, *spoilt))

    def packet(self, r, sender, wanted):
        """One that a chain sent: mostly the first of those for which `wanted` holds."""
        fitting = [packet for packet in sender.packets_v2 if wanted(packet)]
        packet = r.choice(fitting[:2]) if fitting and r.random() < 0.8 else r.choice(sender.packets_v2)
        return self.changed(r, packet)

    # -- clients

    def register(self, r):
        twin, other = self.side(r)
        client = mostly(r, twin.model.client, "07-tendermint-5")
        self.tell(r, twin, "register", client, other.model.client)

    def configure(self, r):
        twin, _ = self.side(r)
        names = [wallet.address.text for wallet in twin.people]
        self.tell(r, twin, "configure", *r.choice([[], names[:1], names[1:], names]))

    def everybody_may_relay(self, r):
        self.tell(r, self.side(r)[0], "configure", person=0)

    # -- packets

    def until_s(self, r, twin):
        known = self.newest(twin)[1] // SECOND + r.randrange(2)
        now = self.world.clock.now_ns // SECOND
        near, edge = now + r.choice([1, 2, 3, 6, 8, 10, 12, 60, 200]), now + DAY_S + r.randrange(-2, 4)
        return r.choice([now + 80_000] * 4 + [near, near, near, edge, known, known, 1, 2**40])

    def send(self, r):
        twin, _ = self.side(r)
        ports = mostly(r, "mock2", "nobody"), mostly(r, "mock2", "nobody")
        value = r.choice([b"hello", b"hello", b"hello", b"later", b"refuse", b"lie"])
        client = mostly(r, twin.model.client, "07-tendermint-9")
        self.tell(r, twin, "send_v2", client, self.until_s(r, twin), (*ports, "v", "json", value))

    def transfer(self, r):
        twin, other = self.side(r)
        fields = {
            "denom": self.denom(r, twin),
            "amount": str(r.choice([1, 7, 300, 1_001])),
            "sender": twin.model.user,
            "receiver": mostly(r, other.model.user, "nobody"),
        }
        text = json.dumps(fields, separators=(",", ":"))
        payload = ("transfer", "transfer", "ics20-1", "application/json", text.encode())
        self.tell(r, twin, "send_v2", twin.model.client, self.until_s(r, twin), payload, person=1)

    def receive(self, r):
        twin, other = self.side(r)
        if other.packets_v2:
            height, done, now = self.height(r, twin), twin.model.state.receipts, self.world.clock.now_ns

            def is_new(packet):
                return (packet.destination, packet.sequence) not in done and now < packet.until_s * SECOND

            self.tell(r, twin, "receive_v2", self.packet(r, other, is_new), height)

    def answer(self, r):
        twin, _ = self.side(r)
        waiting = [sequence for _, sequence in twin.model.state.waiting] or [1]
        sequence = mostly(r, r.choice(waiting), waiting[0] + 1)
        twin.act(("answer_v2", (twin.model.client, sequence, mostly(r, b"at last", b""))))
        twin.block()

    def acknowledge(self, r):
        twin, other = self.side(r)
        if twin.packets_v2:
            height, acks, open_ = self.height(r, twin), other.model.state.acks, twin.model.state.commitments

            def is_answered(packet):
                known = (packet.destination, packet.sequence) in acks
                return known and (packet.source, packet.sequence) in open_

            packet = self.packet(r, twin, is_answered)
            true = acks.get((packet.destination, packet.sequence), b"done")
            self.tell(r, twin, "acknowledge_v2", packet, mostly(r, true, b"no"), height)

    def timeout(self, r):
        twin, _ = self.side(r)
        if twin.packets_v2:
            height, open_ = self.height(r, twin), twin.model.state.commitments
            now = self.world.clock.now_ns

            def is_late(packet):
                return packet.until_s * SECOND <= now and (packet.source, packet.sequence) in open_

            self.tell(r, twin, "timeout_v2", self.packet(r, twin, is_late), height)


def schedules(kind, size):
    return st.lists(
        st.tuples(st.sampled_from(kind.names()), st.integers(0, 2**32)), min_size=size // 2, max_size=size
    )


RUN = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@settings(max_examples=rounds(6, 200), **RUN)
@given(schedules(Clients, rounds(100, 200)))
def test_clients_and_their_model_agree(steps):
    Clients().run(steps)
