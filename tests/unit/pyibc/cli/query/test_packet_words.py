"""The sentence of `pyibc query packet` where a receiver on the second chain is not the whole answer."""

import pytest

from pyibc.apps.packet_forward.packet_data import Hop, write_memo
from pyibc.apps.transfer.packet_data import check
from pyibc.cli.query.packet import answer, is_refunded
from pyibc.relayer.packets.history import Fate, History

FORWARD = write_memo([Hop("cosmos1carol", "transfer", "channel-3", 0, None)])


def told(fate, memo=None, *, is_ended=True):
    transfer = None if memo is None else check("stake", "5", "cosmos1alice", "pfm", memo)
    history = History(fate, is_ended)
    return answer(("a-1", "b-1"), history, transfer), is_refunded(history, transfer)


@pytest.mark.parametrize(
    ("fate", "memo", "expected"),
    [
        (
            Fate.DELIVERED,
            FORWARD,
            "Yes: 5 stake went on from b-1 and arrived at the end of the memo's route.",
        ),
        (Fate.DELIVERED, '{"forward":{}}', "Yes: pfm received 5 stake on b-1."),
        (Fate.DELIVERED, "a text", "Yes: pfm received 5 stake on b-1."),
        (Fate.DELIVERED, None, "Yes: the application on b-1 accepted the packet."),
        (Fate.REFUSED, None, "No: b-1 refused the packet."),
        (Fate.TIMED_OUT, None, "No: the packet timed out before b-1 received it."),
    ],
)
def test_what_arrived_is_told_as_far_as_it_is_known(fate, memo, expected):
    assert told(fate, memo) == (expected, False)


def test_a_packet_that_waits_for_the_answer_of_its_application_is_not_known_yet():
    text, is_refund = told(Fate.RECEIVED, FORWARD, is_ended=False)
    assert text == "Not known yet: b-1 received the packet, and its application has not answered."
    assert not is_refund
