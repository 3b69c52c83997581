"""All cases there are."""

from collections.abc import Iterator

from conformance.fuzz.answers import answer_cases
from conformance.fuzz.case import Case
from conformance.fuzz.experts import expert_cases
from conformance.fuzz.messages import message_cases
from conformance.fuzz.proofs import proof_cases
from conformance.fuzz.queries import query_cases
from conformance.fuzz.texts import text_cases
from conformance.fuzz.transactions import transaction_cases
from conformance.fuzz.unsigned_headers import unsigned_header_cases
from conformance.fuzz.worlds import Worlds


def all_cases(made: Worlds, *, every: bool = False) -> Iterator[Case]:
    """The cases of every reader.

    Args:
        made: Where messages, transactions and queries are tried.
        every: Whether each field gets all shapes of its kind, instead of some.
    """
    yield from expert_cases(made)
    yield from unsigned_header_cases(made)
    yield from proof_cases()
    yield from text_cases()
    yield from answer_cases(made)
    yield from transaction_cases(made, every=every)
    yield from query_cases(made, every=every)
    yield from message_cases(made, every=every)
