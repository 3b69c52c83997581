"""Collection of all fuzz cases."""

from collections.abc import Iterator

from conformance.fuzz.acknowledgements import answer_cases
from conformance.fuzz.case import Case
from conformance.fuzz.handwritten import expert_cases
from conformance.fuzz.messages import message_cases
from conformance.fuzz.packets import packet_cases
from conformance.fuzz.proofs import proof_cases
from conformance.fuzz.queries import query_cases
from conformance.fuzz.texts import text_cases
from conformance.fuzz.transactions import transaction_cases
from conformance.fuzz.unsigned_headers import unsigned_header_cases
from conformance.fuzz.worlds import Worlds


def all_cases(made: Worlds, *, every: bool = False) -> Iterator[Case]:
    """Return the cases of every reader.

    Args:
        made: Chains on which messages, transactions and queries are run.
        every: Whether each field gets all shapes of its type, instead of a selection.
    """
    yield from expert_cases(made)
    yield from unsigned_header_cases(made)
    yield from proof_cases()
    yield from text_cases()
    yield from answer_cases(made)
    yield from transaction_cases(made, every=every)
    yield from query_cases(made, every=every)
    yield from packet_cases(made)
    yield from message_cases(made, every=every)
