"""Every message that ibc-go's chains were told, spoilt first: refused by name or undone, nothing is left.

The recording is replayed to its end around the spoilt messages, so that whatever one of them left would show.
"""

from pathlib import Path

import pytest

from conformance.kit.staged_block import unless_panic
from conformance.transcripts.chain import ReplayChain
from conformance.transcripts.replay import Replay
from pyibc.core.errors import IbcError
from tests.sampling import sample

FOLDER = Path(__file__).parents[1] / "vectors" / "ibcgo-transcripts"
NAMES = ["client", "handshake_errors", "ibc_v2", "solomachine_localhost"]


def spoilt(messages, turn):
    """The messages with one bit of one of them flipped, another place each turn; and one of them cut."""
    at = turn % len(messages)
    type_url, raw = messages[at]
    if raw:
        flipped = bytearray(raw)
        flipped[turn * 7 % len(raw)] ^= 1 << turn % 8
        yield [*messages[:at], (type_url, bytes(flipped)), *messages[at + 1 :]]
    yield [*messages[:at], (type_url, raw[: turn * 11 % (len(raw) + 1)]), *messages[at + 1 :]]


def attempt(chain, ctx, messages):
    """Runs them and takes them back; any error that is not of the tree leaves here."""
    routes = chain.pipeline.messages()
    try:
        with ctx.branch() as branch:
            for type_url, raw in messages:
                routes[type_url].deliver(ctx, routes[type_url].decode(raw))
            branch.discard()
    except IbcError as error:
        return unless_panic(error)
    return None


@pytest.mark.parametrize("name", sample(NAMES, 1, "transcripts spoilt"))
def test_spoilt_messages_leave_nothing(monkeypatch, name):
    deliver, seen = ReplayChain.deliver, []

    def spoil_first(chain, ctx, messages, *which):
        seen.extend([attempt(chain, ctx, each) for each in spoilt(messages, len(seen))])
        return deliver(chain, ctx, messages, *which)

    monkeypatch.setattr(ReplayChain, "deliver", spoil_first)
    results = Replay(FOLDER / f"{name}.json.gz").run()
    assert [r for r in results if not r.passed] == []
    assert len([error for error in seen if error is not None]) > len(seen) // 2 > 50
