"""States of a packet in words, the same in the tables, the report, the summary and docs/indexer.md."""

DEFINITIONS = {
    "succeeded": "Acknowledged with a success.",
    "failed": "Acknowledged with an error acknowledgement: the receiving application refused it.",
    "acknowledged": (
        "Acknowledged, and the result is not known: the acknowledgement is not in the inputs, or is in a form"
        " of the application's own."
    ),
    "timed_out": "Not received before its timeout, which was reported to the sending chain.",
    "received": "Received, and not yet acknowledged on the sending chain.",
    "sent": "Sent, and as far as known not yet received.",
    "unknown": (
        "In flight as far as known, but blocks of the sending chain are missing in which it may have ended."
    ),
    "stuck": (
        "In flight, not received, and either expired or without an event while both chains made blocks for"
        " an hour."
    ),
}
"""Definition of each state; a packet is in one."""
LABELS = {"acknowledged": "result not known"}


def label(state: str) -> str:
    """Return the heading of a state."""
    return LABELS.get(state, state.replace("_", " "))
