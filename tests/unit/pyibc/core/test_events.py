"""The event of a callback that was undone; all others are compared with recordings of ibc-go."""

from pyibc.core.channel import events as channel


def test_h4_an_undone_event_is_taken_for_nothing_else():
    event = ("fungible_token_packet", (("sender", "a"), ("success", "true")))
    assert channel.callback_error(event) == (
        "ibccallbackerror-fungible_token_packet",
        (("ibccallbackerror-sender", "a"), ("ibccallbackerror-success", "true")),
    )
