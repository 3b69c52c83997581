"""Guards that tell the two ends apart: a proof is looked for under the names of the other end."""

from tools.guards.mutant import Mutant

UNIT = "tests/unit/handlers/packet/"
CLEANUP = "tests/road/direct/test_cleanup.py::"

_LIFE = "tests/road/test_two_ends.py::test_h23_each_proof_is_looked_for_under_the_names_of_the_other_end"
_UNORDERED = f"{UNIT}test_timeout.py::test_an_unordered_packet_comes_back"
_ORDERED = f"{UNIT}test_timeout.py::test_an_ordered_packet_closes_its_channel"
_CLEANED = f"{CLEANUP}test_h23_cleaning_up_is_proven_under_the_port_and_channel_of_the_other_end"


def _packet(name: str, file: str, path: str, far: str, *tests: str) -> tuple[Mutant, Mutant]:
    """The proof's path with this chain's own port, and with its own channel; `far` is the end that proves."""
    near = "a" if far == "b" else "b"
    port, channel = f"packet.port_id_on_{far}", f"packet.channel_id_on_{far}"
    right = f"{path}({port}, {channel}"
    wrong_port = right.replace(port, f"packet.port_id_on_{near}")
    wrong_channel = right.replace(channel, f"packet.channel_id_on_{near}")
    return (
        Mutant(f"h23-{name}-under-the-own-port", file, ((right, wrong_port),), tests),
        Mutant(f"h23-{name}-under-the-own-channel", file, ((right, wrong_channel),), tests),
    )


def _end(name: str, file: str, right: str, wrong: str, *tests: str) -> Mutant:
    """A handshake's proof looked for under `wrong`, a name of this chain's own."""
    return Mutant(f"h23-{name}", file, ((f"_path({right})", f"_path({wrong})"),), tests)


_TIMEOUT, _CLEANUP = "handlers/packet/timeout.py", "handlers/packet/cleanup.py"

H23 = (
    *_packet("receipt", _TIMEOUT, "packet_receipt_path", "b", _UNORDERED),
    *_packet("next-sequence", _TIMEOUT, "next_sequence_recv_path", "b", _ORDERED),
    *_packet("commitment", "handlers/packet/recv.py", "packet_commitment_path", "a", _LIFE),
    *_packet("answer", "handlers/packet/acknowledge.py", "packet_acknowledgement_path", "b", _LIFE),
    *_packet(
        "closed-end",
        "handlers/packet/timeout_on_close.py",
        "channel_path",
        "b",
        f"{UNIT}test_timeout_on_close.py::test_an_unordered_packet_comes_back",
    ),
    *_packet("cleaned-answer", _CLEANUP, "packet_acknowledgement_path", "b", _CLEANED),
    *_packet("cleaned-sequence", _CLEANUP, "next_sequence_recv_path", "b", _CLEANED),
    _end(
        "open-try-under-the-own-port",
        "handlers/channel/open_try.py",
        "asked.counterparty.port_id, asked.counterparty.channel_id",
        "msg.port_id_on_b, asked.counterparty.channel_id",
        _LIFE,
    ),
    _end(
        "open-ack-under-the-own-port",
        "handlers/channel/open_ack.py",
        "end_on_a.counterparty.port_id, msg.channel_id_on_b",
        "port_id, msg.channel_id_on_b",
        _LIFE,
    ),
    _end(
        "open-ack-under-the-own-channel",
        "handlers/channel/open_ack.py",
        "end_on_a.counterparty.port_id, msg.channel_id_on_b",
        "end_on_a.counterparty.port_id, channel_id",
        _LIFE,
    ),
    _end(
        "open-confirm-under-the-own-port",
        "handlers/channel/open_confirm.py",
        "counterparty.port_id, counterparty.channel_id",
        "port_id, counterparty.channel_id",
        _LIFE,
    ),
    _end(
        "open-confirm-under-the-own-channel",
        "handlers/channel/open_confirm.py",
        "counterparty.port_id, counterparty.channel_id",
        "counterparty.port_id, channel_id",
        _LIFE,
    ),
    _end(
        "close-confirm-under-the-own-port",
        "handlers/channel/close_confirm.py",
        "end.counterparty.port_id, end.counterparty.channel_id",
        "msg.port_id, end.counterparty.channel_id",
        _LIFE,
    ),
    _end(
        "close-confirm-under-the-own-channel",
        "handlers/channel/close_confirm.py",
        "end.counterparty.port_id, end.counterparty.channel_id",
        "end.counterparty.port_id, msg.channel_id",
        _LIFE,
    ),
    _end(
        "connection-ack-under-the-own-name",
        "handlers/connection/open_ack.py",
        "msg.connection_id_on_b",
        "msg.connection_id_on_a",
        _LIFE,
    ),
    _end(
        "connection-confirm-under-the-own-name",
        "handlers/connection/open_confirm.py",
        "end.counterparty.connection_id",
        "msg.connection_id_on_b",
        _LIFE,
    ),
)
