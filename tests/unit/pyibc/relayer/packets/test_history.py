"""Fate of a packet by the chains' states alone; test_packet.py of `pyibc query` has whole chains."""

import pytest

from pyibc.core import paths
from pyibc.core.packet.acknowledgement import success
from pyibc.core.packet.types import acknowledgement_commitment
from pyibc.relayer.chain.endpoint import NO_EXTRAS
from pyibc.relayer.chain.values import Tip
from pyibc.relayer.packets.history import Fate, Route, history_of

ROUTE = Route(("ping", "channel-2"), ("pong", "channel-7"), 4, is_ordered=True)
NEXT_SEND = paths.next_sequence_send_path("ping", "channel-2")
COMMITMENT = paths.packet_commitment_path("ping", "channel-2", 4)
NEXT_RECV = paths.next_sequence_recv_path("pong", "channel-7")
ACKNOWLEDGEMENT = paths.packet_acknowledgement_path("pong", "channel-7", 4)


class State:
    """Chain of which nothing is known but its state."""

    chain_id, extras = "n-1", NO_EXTRAS

    def __init__(self, entries) -> None:
        self.get = entries.get

    def tip(self):
        return Tip(9, 0)


def number(value):
    return value.to_bytes(8, "big")


@pytest.mark.parametrize(
    ("next_send", "next_recv", "acknowledgement", "is_ended", "fate"),
    [
        (4, 4, None, False, Fate.NOT_SENT),
        (5, 4, None, False, Fate.PENDING),
        (5, 5, None, False, Fate.RECEIVED),
        (5, 5, success(), False, Fate.DELIVERED),
        (5, 5, success(), True, Fate.DELIVERED),
        (5, 5, b"its own", True, Fate.ANSWERED),
        (5, 5, None, True, Fate.ANSWERED),
        (5, 4, None, True, Fate.UNKNOWN),
    ],
)
def test_a_packet_of_an_ordered_channel_is_received_once_the_next_one_is_expected(
    next_send, next_recv, acknowledgement, is_ended, fate
):
    on_a, on_b = {NEXT_SEND: number(next_send)}, {NEXT_RECV: number(next_recv)}
    if not is_ended and fate is not Fate.NOT_SENT:
        on_a[COMMITMENT] = b"c"
    if acknowledgement is not None:
        on_b[ACKNOWLEDGEMENT] = acknowledgement_commitment(acknowledgement)
    found = history_of(State(on_a), State(on_b), ROUTE)
    assert (found.fate, found.is_ended) == (fate, is_ended)
