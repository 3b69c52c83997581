"""Events: tuples of text, as relayers and indexers read them.

An event is `(type, ((key, value), ...))`. Tuples because a received packet emits fourteen of them.
"""

from collections.abc import Container, Iterable

Attribute = tuple[str, str]
Event = tuple[str, tuple[Attribute, ...]]
"""Type and attributes, as a transaction's result has them."""


def besides(events: Iterable[Event], kinds: Container[str]) -> tuple[Event, ...]:
    """The events of other types than `kinds`, in their order."""
    return tuple([event for event in events if event[0] not in kinds])
